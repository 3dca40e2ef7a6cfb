#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tactus/base/utf8.hpp"
#include "tactus/report/display_text.hpp"
#include "tactus/report/timeline_rows.hpp"

namespace tactus::report {

namespace {

constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::size_t widest_label = 20;
constexpr char unused = '.';

char letter_of(TaskIndex task) { return task < letters.size() ? letters[task] : '*'; }

/// Maps instants to the columns of the picture.
class Scale {
 public:
  Scale(Time from, Time to, std::size_t columns) : from_{from}, to_{to}, columns_{columns} {}

  [[nodiscard]] std::size_t columns() const { return columns_; }

  /// Where column `i` begins; rounded down, so that columns cover the range without gaps.
  [[nodiscard]] Time begin_of(std::size_t i) const {
    const Int128 offset =
        static_cast<Int128>(in_ns(to_ - from_)) * static_cast<Int128>(i) / static_cast<Int128>(columns_);
    return from_ + nanoseconds(static_cast<std::int64_t>(offset));
  }

  /// The column of an instant; those outside the range get the nearest one.
  [[nodiscard]] std::size_t column_of(Time time) const {
    if (time <= from_) return 0;
    const Int128 column = static_cast<Int128>(in_ns(time - from_)) * static_cast<Int128>(columns_) /
                          static_cast<Int128>(in_ns(to_ - from_));
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

// Every column shows the task that used it most.
std::string draw_bars(const std::vector<Bar>& bars, const Scale& scale) {
  std::map<TaskIndex, std::vector<Duration>> used;
  for (const Bar& bar : bars) {
    const Time start = scale.clipped(bar.start);
    const Time end = scale.clipped(bar.end);
    std::vector<Duration>& columns =
        used.try_emplace(bar.job.task, std::vector<Duration>(scale.columns())).first->second;
    for (std::size_t i = scale.column_of(start); i < scale.columns() && scale.begin_of(i) < end; ++i) {
      columns[i] += std::min(end, scale.begin_of(i + 1)) - std::max(start, scale.begin_of(i));
    }
  }
  std::string line(scale.columns(), unused);
  std::vector<Duration> most(scale.columns());
  for (const auto& [task, columns] : used) {
    for (std::size_t i = 0; i < scale.columns(); ++i) {
      if (columns[i] <= most[i]) continue;
      most[i] = columns[i];
      line[i] = letter_of(task);
    }
  }
  return line;
}

void fill(std::string& line, const Scale& scale, Time start, Time end, char mark) {
  if (end <= start) return;
  for (std::size_t i = scale.column_of(start); i < scale.columns() && scale.begin_of(i) < end; ++i)
    line[i] = mark;
}

// Misses stay. Other marks are replaced by a bound's, with a different sign where there was one.
void mark_bound(char& place, bool exceeded) {
  if (place == '!') return;
  if (exceeded || place == 'x') {
    place = 'x';
  } else {
    place = place == '^' || place == 'v' || place == '+' || place == '*' ? '*' : '|';
  }
}

// The number of a job, where it executes long enough: "=#3===".
void number_job(std::string& line, const Scale& scale, const DrawnJob& job) {
  const std::string label = "#" + std::to_string(job.ended.job.number);
  for (const Stretch& stretch : job.executing) {
    if (!scale.shows(stretch.start)) continue;
    const std::size_t start = scale.column_of(stretch.start) + 1;
    if (line.find_first_not_of('=', start) < start + label.size() + 1) continue;
    if (start + label.size() >= line.size()) continue;
    line.replace(start, label.size(), label);
    return;
  }
}

std::string draw_jobs(const std::vector<DrawnJob>& jobs, const trace::Bounds& bounds, const Scale& scale,
                      std::uint64_t step) {
  std::string line(scale.columns(), ' ');
  for (const DrawnJob& job : jobs) {
    const trace::JobEnded& ended = job.ended;
    if (ended.fate == trace::Fate::ran)
      fill(line, scale, ended.release, scale.clipped(ended.completion), '-');
  }
  for (const DrawnJob& job : jobs) {
    for (const Stretch& stretch : job.executing) {
      fill(line, scale, scale.clipped(stretch.start), scale.clipped(stretch.end), '=');
    }
  }
  const auto mark = [&](Time time, char character) {
    if (!scale.shows(time)) return;
    char& place = line[scale.column_of(time)];
    const bool both = (place == '^' && character == 'v') || (place == 'v' && character == '^');
    place = both ? '+' : character;
  };
  const auto is_marked = [&](const DrawnJob& job) { return job.ended.job.number % step == 0; };
  for (const DrawnJob& job : jobs) {
    if (is_marked(job)) mark(job.ended.release, '^');
  }
  for (const DrawnJob& job : jobs) {
    if (!job.ended.missed && is_marked(job)) mark(job.ended.deadline, 'v');
  }
  for (const DrawnJob& job : jobs) {
    if (job.ended.missed) mark(job.ended.deadline, '!');
  }
  for (const DrawnJob& job : jobs) {
    const std::optional<trace::BoundMark> bound = trace::bound_mark(bounds, job.ended);
    if (!bound || !scale.shows(bound->time)) continue;
    const bool exceeded = bound->kept == false;
    if (exceeded || is_marked(job)) mark_bound(line[scale.column_of(bound->time)], exceeded);
  }
  for (const DrawnJob& job : jobs) number_job(line, scale, job);
  return line;
}

/// Labels at the left, all equally wide, and the text after them.
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
  lines.add({}, labels);
}

// As many of the items on a line as fit.
std::string legend(const std::vector<std::string_view>& items, std::size_t width) {
  std::string text;
  std::size_t used = 0;
  for (const std::string_view item : items) {
    constexpr std::string_view between = "   ";
    const bool fits = used > 0 && used + between.size() + item.size() <= width;
    if (used > 0) text += fits ? between : std::string_view{"\n"};
    used = fits ? used + between.size() + item.size() : item.size();
    text += item;
  }
  return text + "\n";
}

// Which marks were left out, if any.
std::string thinned_note(const System& system, const Rows& rows, const std::vector<std::uint64_t>& steps) {
  std::string text;
  for (TaskIndex task = 0; task < steps.size(); ++task) {
    if (steps[task] == 1 || rows.jobs[task].empty()) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", shown(system.tasks[task].name),
                        ordinal(steps[task]));
  }
  return text.empty() ? text : "Marks are thinned, by jobs: " + text + ". Every miss is marked.\n";
}

}  // namespace

std::string timeline_text(const System& system, const trace::Recording& recording,
                          const TextOptions& options) {
  const Rows rows = rows_of(system, recording, options.range, options.max_rows);
  std::vector<std::string> task_labels;
  std::size_t label_width = 0;
  const std::size_t tasks = std::min(system.tasks.size(), options.max_rows);
  for (TaskIndex task = 0; task < tasks; ++task) {
    task_labels.push_back(std::string{letter_of(task), ' '} + shown(system.tasks[task].name));
    label_width = std::max(label_width, display_width(task_labels.back()));
  }
  for (const Track& lane : rows.lanes) label_width = std::max(label_width, lane.name.size());
  label_width = std::min(label_width, widest_label);

  constexpr std::size_t fewest_columns = 10;
  constexpr std::size_t columns_per_mark = 4;
  const Scale scale{rows.from, rows.to,
                    std::max(options.width, label_width + 1 + fewest_columns) - label_width - 1};
  Lines lines{label_width};
  for (const Track& lane : rows.lanes) {
    if (lane.form == TrackForm::idle) lines.add(lane.name, "idle");
    for (std::size_t slot = 0; slot < lane.rows.size(); ++slot) {
      lines.add(slot == 0 ? lane.name : "", draw_bars(lane.rows[slot], scale));
    }
  }
  add_ruler(lines, rows, scale);
  std::vector<std::uint64_t> steps;
  for (TaskIndex task = 0; task < tasks; ++task) {
    steps.push_back(every_which(rows.jobs[task].size(), scale.columns() / columns_per_mark));
    lines.add(task_labels[task], draw_jobs(rows.jobs[task], options.bounds, scale, steps.back()));
  }
  if (tasks < system.tasks.size()) {
    lines.add("...", std::to_string(system.tasks.size() - tasks) + " more tasks");
  }
  std::string text =
      lines.text() +
      legend({"^ release", "v deadline", "+ both", "! missed", "- waiting", "= executing"}, options.width);
  if (std::ranges::any_of(options.bounds,
                          [](const std::optional<Duration>& bound) { return bound.has_value(); })) {
    text += legend({"| bound", "* bound and release or deadline", "x exceeded bound"}, options.width);
  }
  return text + thinned_note(system, rows, steps);
}

}  // namespace tactus::report
