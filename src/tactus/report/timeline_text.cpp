#include <algorithm>
#include <optional>
#include <vector>

#include "tactus/base/text.hpp"
#include "tactus/report/display_text.hpp"
#include "tactus/report/timeline_rows.hpp"

namespace tactus::report {

namespace {

constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::size_t widest_label = 20;
constexpr char idle = '.';

char letter_of(TaskIndex task) { return task < letters.size() ? letters[task] : '*'; }

/// Maps instants to the columns of the picture.
class Scale {
 public:
  Scale(Time from, Time to, std::size_t columns) : from_{from}, to_{to}, columns_{columns} {}

  [[nodiscard]] std::size_t columns() const { return columns_; }

  /// Where column `i` begins; rounded down, so that columns cover the range without gaps.
  [[nodiscard]] Time begin_of(std::size_t i) const {
    const Int128 offset =
        static_cast<Int128>(count(to_ - from_)) * static_cast<Int128>(i) / static_cast<Int128>(columns_);
    return from_ + nanoseconds(static_cast<std::int64_t>(offset));
  }

  /// The column of an instant; those outside the range get the nearest one.
  [[nodiscard]] std::size_t column_of(Time time) const {
    if (time <= from_) return 0;
    const Int128 column = static_cast<Int128>(count(time - from_)) * static_cast<Int128>(columns_) /
                          static_cast<Int128>(count(to_ - from_));
    return std::min(static_cast<std::size_t>(std::min<Int128>(column, static_cast<Int128>(columns_))),
                    columns_ - 1);
  }

  [[nodiscard]] bool shows(Time time) const { return from_ <= time && time <= to_; }
  [[nodiscard]] Time clipped(Time time) const { return std::clamp(time, from_, to_); }

 private:
  Time from_;
  Time to_;
  std::size_t columns_;
};

// Every column shows who used it longest.
std::string draw_bars(const std::vector<Bar>& bars, const Scale& scale) {
  std::string line(scale.columns(), idle);
  std::vector<Duration> longest(scale.columns());
  for (const Bar& bar : bars) {
    const Time start = scale.clipped(bar.start);
    const Time end = scale.clipped(bar.end);
    for (std::size_t i = scale.column_of(start); i < scale.columns() && scale.begin_of(i) < end; ++i) {
      const Duration used = std::min(end, scale.begin_of(i + 1)) - std::max(start, scale.begin_of(i));
      if (used > longest[i]) {
        longest[i] = used;
        line[i] = letter_of(bar.job.task);
      }
    }
  }
  return line;
}

void fill(std::string& line, const Scale& scale, Time start, Time end, char mark) {
  if (end <= start) return;
  for (std::size_t i = scale.column_of(start); i < scale.columns() && scale.begin_of(i) < end; ++i)
    line[i] = mark;
}

// Misses stay as they are. The rest is drawn over by a bound, with another sign where something was marked.
void mark_bound(char& place, bool exceeded) {
  if (place == '!') return;
  if (exceeded || place == 'x') {
    place = 'x';
  } else {
    place = place == '^' || place == 'v' || place == '+' || place == '*' ? '*' : '|';
  }
}

std::string draw_jobs(const std::vector<trace::JobEnded>& jobs, const trace::Bounds& bounds,
                      const Scale& scale) {
  std::string line(scale.columns(), ' ');
  for (const trace::JobEnded& job : jobs) fill(line, scale, job.release, scale.clipped(job.start), '-');
  for (const trace::JobEnded& job : jobs) {
    if (job.start != never) fill(line, scale, scale.clipped(job.start), scale.clipped(job.completion), '=');
  }
  const auto mark = [&](Time time, char character) {
    if (!scale.shows(time)) return;
    char& place = line[scale.column_of(time)];
    const bool both = (place == '^' && character == 'v') || (place == 'v' && character == '^');
    place = both ? '+' : character;
  };
  for (const trace::JobEnded& job : jobs) mark(job.release, '^');
  for (const trace::JobEnded& job : jobs) {
    if (!job.missed) mark(job.deadline, 'v');
  }
  for (const trace::JobEnded& job : jobs) {
    if (job.missed) mark(job.deadline, '!');
  }
  for (const trace::JobEnded& job : jobs) {
    const std::optional<trace::BoundMark> bound = trace::bound_mark(bounds, job);
    if (bound && scale.shows(bound->time)) {
      mark_bound(line[scale.column_of(bound->time)], bound->kept == false);
    }
  }
  return line;
}

/// Labels at the left, all equally wide, and what stands behind them.
class Lines {
 public:
  explicit Lines(std::size_t label_width) : label_width_{label_width} {}

  void add(std::string_view label, std::string_view content) {
    const std::string shown = shortened(label, label_width_);
    std::string line =
        shown + std::string(label_width_ - display_width(shown), ' ') + " " + std::string{content};
    line.erase(line.find_last_not_of(' ') + 1);
    text_ += line + "\n";
  }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::size_t label_width_;
  std::string text_;
};

void add_ruler(Lines& lines, const Rows& rows, const Scale& scale) {
  constexpr std::size_t columns_per_tick = 12;
  const Axis axis = axis_of(rows.from, rows.to, scale.columns() / columns_per_tick);
  std::string marks(scale.columns(), '-');
  std::string labels(scale.columns(), ' ');
  std::size_t used = 0;
  for (const Time tick : axis.ticks) {
    const std::size_t column = scale.column_of(tick);
    marks[column] = '+';
    const std::string label = axis.label(tick);
    const std::size_t start = std::min(column, scale.columns() - std::min(scale.columns(), label.size()));
    if (start < used || start + label.size() > scale.columns()) continue;
    labels.replace(start, label.size(), label);
    used = start + label.size() + 1;
  }
  lines.add({}, marks);
  lines.add(axis.unit_name, labels);
}

}  // namespace

std::string timeline_text(const System& system, const trace::Recording& recording,
                          const TextOptions& options) {
  const Rows rows = rows_of(system, recording, options.range, options.most_rows);
  std::vector<std::string> task_labels;
  std::size_t label_width = 0;
  const std::size_t tasks = std::min(system.tasks.size(), options.most_rows);
  for (TaskIndex task = 0; task < tasks; ++task) {
    task_labels.push_back(std::string{letter_of(task), ' '} + harmless(system.tasks[task].name));
    label_width = std::max(label_width, display_width(task_labels.back()));
  }
  for (const Lane& lane : rows.lanes) label_width = std::max(label_width, lane.name.size());
  label_width = std::min(label_width, widest_label);

  constexpr std::size_t fewest_columns = 10;
  const Scale scale{rows.from, rows.to,
                    std::max(options.width, label_width + 1 + fewest_columns) - label_width - 1};
  Lines lines{label_width};
  for (const Lane& lane : rows.lanes) {
    for (std::size_t slot = 0; slot < lane.rows.size(); ++slot) {
      lines.add(slot == 0 ? lane.name : "", draw_bars(lane.rows[slot], scale));
    }
  }
  if (rows.left_out > 0) lines.add("...", std::to_string(rows.left_out) + " more rows");
  add_ruler(lines, rows, scale);
  for (TaskIndex task = 0; task < tasks; ++task) {
    lines.add(task_labels[task], draw_jobs(rows.jobs[task], options.bounds, scale));
  }
  if (tasks < system.tasks.size()) {
    lines.add("...", std::to_string(system.tasks.size() - tasks) + " more tasks");
  }
  const bool has_bounds = std::ranges::any_of(
      options.bounds, [](const std::optional<Duration>& bound) { return bound.has_value(); });
  return lines.text() +
         "^ release   v deadline   + both   ! missed   - waiting   = from start to completion\n" +
         (has_bounds ? "| bound   * bound and release or deadline   x exceeded bound\n" : "");
}

}  // namespace tactus::report
