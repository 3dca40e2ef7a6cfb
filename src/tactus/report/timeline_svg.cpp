#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "tactus/base/text.hpp"
#include "tactus/report/display_text.hpp"
#include "tactus/report/svg.hpp"
#include "tactus/report/timeline_colours.hpp"
#include "tactus/report/timeline_rows.hpp"
#include "tactus/trace/lanes.hpp"

namespace tactus::report {

namespace {

constexpr double padding = 20;
constexpr double lane_gap = 6;
constexpr double idle_height = 13;
constexpr std::size_t most_job_rows = 4;
constexpr double letter_width = 6.9;  // of the 12 pixel font, estimated: the viewer's font is not known
constexpr double small_letter = 6.5;  // of the 11 pixel font
constexpr double pixels_per_tick = 74;
constexpr double finest_bar = 1;  // pixels; shorter bars are drawn as a share of their pixel
constexpr double closest_marks = 9;
constexpr double closest_in_crowd = 36;
constexpr double waiting_opacity = 0.32;
constexpr std::uint64_t crowd = 5;  // when only every fifth mark is drawn, jobs are not drawn one by one
constexpr std::string_view small = R"( font-size="11")";

double text_width(std::string_view text) { return letter_width * static_cast<double>(display_width(text)); }
double small_width(std::string_view text) { return small_letter * static_cast<double>(display_width(text)); }

// "12 ms": a picture has room for the space.
std::string spaced(const std::string& text) {
  const std::size_t unit = text.find_last_of("0123456789") + 1;
  return text.substr(0, unit) + " " + text.substr(unit);
}

std::string counted(std::size_t number, const char* noun) {
  return with_thousands(number) + " " + noun + (number == 1 ? "" : "s");
}

double row_height_for(std::size_t rows) {
  if (rows <= 20) return 19;
  return rows <= 32 ? 15 : 12;
}

std::string shown_name(const Lane& lane) {
  return lane.form == LaneForm::idle ? lane.name + " idle" : lane.name;
}

// Text on a bar; textures are kept away from it.
std::string on_bar(TaskIndex task) {
  const colours::TaskPaint paint = colours::of_task(task);
  const std::string attributes =
      paint.texture.empty() ? filled(paint.text)
                            : filled_and_drawn(paint.text, paint.fill) +
                                  R"( stroke-width="3" stroke-linejoin="round" paint-order="stroke")";
  return attributes + std::string{small} + R"( pointer-events="none")";
}

/// The used time of a row, whole or partial.
struct Use {
  Time start{};
  Time end{};
  TaskIndex task = 0;
  double share = 1;
};

class Drawing {
 public:
  Drawing(const System& system, const trace::Recording& recording, const SvgOptions& options)
      : system_{system},
        title_{options.title.empty() ? system.name : options.title},
        rows_{rows_of(system, recording, options.range, options.most_rows)},
        bounds_{options.bounds},
        width_{static_cast<double>(std::max(options.width, 300))},
        right_{width_ - padding} {
    double widest = 0;
    for (const Lane& lane : rows_.lanes) widest = std::max(widest, text_width(shown_name(lane)));
    std::size_t drawn_tasks = 0;
    for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
      if (rows_.jobs[task].empty()) continue;
      ++drawn_tasks;
      widest = std::max(widest, text_width(system.tasks[task].name));
    }
    left_ = padding + std::clamp(widest + 10, 40.0, 0.22 * width_);
    row_height_ = row_height_for(rows_.number_of_rows());
    if (drawn_tasks > 12) {
      job_row_ = 13;
      mark_room_ = 10;
    }
    axis_ = axis_of(rows_.from, rows_.to, static_cast<std::size_t>((right_ - left_) / pixels_per_tick));
    for (const Jobs& jobs : rows_.jobs) {
      const auto step = [&](double apart) {
        return every_which(jobs.size(), static_cast<std::size_t>((right_ - left_) / apart));
      };
      const std::uint64_t usual = step(closest_marks);
      steps_.push_back(usual < crowd ? usual : step(closest_in_crowd));
    }
  }

  std::string draw() {
    const double top = draw_heading();
    double y = draw_lanes(top);
    y = draw_tasks(y + lane_gap);
    draw_grid(top, y);
    const double height = draw_notes(draw_axis(y)) + padding - 6;

    SvgPart svg;
    svg.raw(fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0f}" height="{1:.0f}" viewBox="0 0 {0:.0f} {1:.0f}" )"
        R"(font-family="Inter,'Segoe UI','Helvetica Neue',Helvetica,Arial,sans-serif" font-size="12">)"
        "\n<title>{2}</title>\n",
        width_, height, escape_xml(title_)));
    svg.raw(colours::definitions(system_.tasks.size()));
    // An opaque background, so that the picture is readable on any page.
    svg.rectangle({0.5, 0.5, width_ - 1, height - 1},
                  R"(rx="8" )" + filled_and_drawn(colours::card, colours::border));
    for (const SvgPart* part : {&heading_, &panels_, &grid_, &bars_, &marks_}) svg.raw(part->xml());
    svg.raw("</svg>\n");
    return svg.xml();
  }

 private:
  using Jobs = std::vector<DrawnJob>;

  [[nodiscard]] double x_of(Time time) const {
    const Time shown = std::clamp(time, rows_.from, rows_.to);
    return left_ + (right_ - left_) * (static_cast<double>(count(shown - rows_.from)) /
                                       static_cast<double>(count(rows_.to - rows_.from)));
  }

  [[nodiscard]] bool shows(Time time) const { return rows_.from <= time && time <= rows_.to; }

  [[nodiscard]] const std::string& name_of(TaskIndex task) const { return system_.tasks.at(task).name; }

  /// Whether the release, deadline and bound of a job are marked; misses always are.
  [[nodiscard]] bool is_marked(const trace::JobEnded& job) const {
    return job.job.number % steps_[job.job.task] == 0;
  }

  // Title, range and legend. Like all functions that draw, it returns where the next part may begin.
  double draw_heading() {
    heading_.text({padding, 32}, "start", filled(colours::ink) + R"( font-size="17" font-weight="600")",
                  title_);
    std::size_t jobs = 0;
    for (const Jobs& of_task : rows_.jobs) {
      jobs += of_task.size();
      missed_ += static_cast<std::size_t>(
          std::ranges::count_if(of_task, [](const DrawnJob& job) { return job.ended.missed; }));
    }
    const std::string from = rows_.from == origin ? "0" : spaced(to_text(rows_.from));
    const std::string summary = counted(static_cast<std::size_t>(system_.platform.gpu.sms), "SM") + " · " +
                                counted(jobs, "job") + " · " + counted(rows_.blocks, "block") + " · " + from +
                                " to " + spaced(to_text(rows_.to));
    heading_.raw(
        fmt::format(R"(<text x="{}" y="51" {}>{})", padding, filled(colours::faint), escape_xml(summary)));
    if (missed_ > 0) {
      heading_.raw(fmt::format(R"( · <tspan {} font-weight="600">{} missed</tspan>)", filled(colours::miss),
                               counted(missed_, "deadline")));
    }
    heading_.raw("</text>\n");
    return draw_legend(73) + 14;
  }

  double draw_legend(double y) {
    double x = padding;
    const auto place = [&](double item_width) {
      if (x > padding && x + item_width > right_ + 16) {
        x = padding;
        y += 19;
      }
      const double start = x;
      x += item_width;
      return start;
    };
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
      const std::string name = shortened(harmless(name_of(task)), 24);
      const double start = place(text_width(name) + 34);
      heading_.rectangle({start + 0.5, y - 9.5, 11, 11},
                         R"(rx="2.5" )" + filled_and_drawn(colours::of_task(task)));
      heading_.text({start + 17, y}, "start", filled(colours::ink), name);
    }
    // The meaning of the marks, on its own line where the tasks fill one.
    if (x > 0.6 * width_) x = width_;
    const auto add = [&](std::string_view meaning, double room, const auto& draw_sign) {
      const double start = place(text_width(meaning) + room + 14);
      draw_sign(start);
      heading_.text({start + room, y}, "start", filled(colours::faint), meaning);
    };
    const bool anything = std::ranges::any_of(rows_.jobs, [](const Jobs& jobs) { return !jobs.empty(); });
    if (anything) {
      add("waiting", 24, [&](double start) {
        heading_.rectangle({start, y - 6, 18, 6},
                           filled(colours::ink) + fmt::format(R"( fill-opacity="{}")", waiting_opacity));
      });
    }
    const auto add_mark = [&](bool up, const SvgPaint& paint, std::string_view meaning) {
      add(meaning, 13, [&](double start) { heading_.arrow(start + 5, y - 11, y + 2, up, paint, meaning); });
    };
    if (anything) add_mark(true, colours::ink, "release");
    if (has_deadlines()) add_mark(false, colours::ink, "deadline");
    if (missed_ > 0) add_mark(false, colours::miss, "missed deadline");
    const auto add_bound = [&](bool exceeded, std::string_view meaning) {
      if (!has_bound_marks(exceeded)) return;
      add(meaning, 13, [&](double start) {
        heading_.diamond({start + 5, y - 6}, y + 2, exceeded ? colours::ink : colours::panel, colours::ink,
                         meaning);
      });
    };
    add_bound(false, "bound");
    add_bound(true, "exceeded bound");
    return y;
  }

  [[nodiscard]] bool has_deadlines() const {
    return std::ranges::any_of(rows_.jobs, [](const Jobs& jobs) {
      return std::ranges::any_of(jobs, [](const DrawnJob& job) { return job.ended.deadline != never; });
    });
  }

  void draw_panel(double y, double height, std::string_view name, const SvgPaint& paint = colours::ink) {
    panels_.rectangle({left_, y, right_ - left_, height},
                      R"(rx="3" )" + filled_and_drawn(colours::panel, colours::border));
    const auto room = static_cast<std::size_t>((left_ - padding - 8) / letter_width);
    panels_.text({left_ - 8, y + height / 2 + 4.2}, "end", filled(paint), shortened(harmless(name), room));
  }

  double draw_lanes(double y) {
    for (const Lane& lane : rows_.lanes) {
      const bool idle = lane.form == LaneForm::idle;
      const double height =
          idle ? idle_height
               : row_height_ * static_cast<double>(lane.rows.size()) + (row_height_ < 14 ? 2 : 4);
      draw_panel(y, height, shown_name(lane), idle ? colours::faint : colours::ink);
      for (std::size_t row = 0; row < lane.rows.size(); ++row) {
        draw_row(lane, lane.rows[row],
                 y + (row_height_ < 14 ? 1 : 2) + row_height_ * static_cast<double>(row));
      }
      y += height + (row_height_ < 14 ? 3 : lane_gap);
    }
    return y;
  }

  void draw_row(const Lane& lane, const std::vector<Bar>& bars, double y) {
    const SvgBox row{left_, y + 0.5, right_ - left_, row_height_ - 1};
    std::vector<Use> shares;
    if (lane.form == LaneForm::together) {
      const bool on_sms = lane.name.starts_with("SM");
      has_shared_rows_ = true;
      for (const Bar& bar : bars) {
        shares.push_back({bar.start, bar.end, bar.job.task,
                          on_sms ? share_of_sm(system_, bar.job.task, bar.segment) : 1.0});
      }
      draw_shares(shares, row, static_cast<double>(lane.servers));
      return;
    }
    for (const Bar& bar : bars) {
      const double start = x_of(bar.start);
      const double bar_width = x_of(bar.end) - start;
      if (bar_width < finest_bar) {
        shares.push_back({bar.start, bar.end, bar.job.task});
        continue;
      }
      const colours::TaskPaint paint = colours::of_task(bar.job.task);
      const bool outlined = bar_width > 3;
      bars_.rectangle({start + (outlined ? 0.5 : 0), row.y, outlined ? bar_width - 1 : bar_width, row.height},
                      outlined ? R"(rx="2.5" )" + filled_and_drawn(paint) : filled(paint),
                      bar_story(lane, bar));
      draw_bar_label(lane, bar, start, bar_width, y);
    }
    draw_shares(shares, row, 1);
  }

  // The longest label that fits: task, job and block; job and block; the job alone.
  void draw_bar_label(const Lane& lane, const Bar& bar, double start, double bar_width, double y) {
    if (row_height_ < 14) return;
    const bool numbered = bar.block >= 0 && lane.form == LaneForm::each && blocks_of(bar) > 1;
    const std::string job = fmt::format("#{}", bar.job.number);
    const std::string block = numbered ? fmt::format("{}.{}", job, bar.block) : job;
    for (const std::string& label : {harmless(name_of(bar.job.task)) + " " + block, block, job}) {
      if (small_width(label) + 6 > bar_width) continue;
      has_block_labels_ = has_block_labels_ || (numbered && label != job);
      bars_.text({start + bar_width / 2, y + row_height_ / 2 + 3.9}, "middle", on_bar(bar.job.task), label);
      return;
    }
  }

  [[nodiscard]] std::int64_t blocks_of(const Bar& bar) const {
    const std::vector<Node>& nodes = system_.tasks.at(bar.job.task).work.nodes;
    if (bar.segment >= nodes.size()) return 1;
    const auto* kernel = std::get_if<KernelSegment>(&nodes[bar.segment].segment);
    return kernel == nullptr ? 1 : kernel->blocks();
  }

  [[nodiscard]] std::string bar_story(const Lane& lane, const Bar& bar) const {
    std::string part = lane.name.starts_with("CPU") ? "on a core" : "copy";
    if (bar.block >= 0)
      part = lane.form == LaneForm::each ? fmt::format("block {}", bar.block) : std::string{"a block each"};
    return fmt::format("{} #{}, segment {}, {}, {}: {} to {}", name_of(bar.job.task), bar.job.number,
                       bar.segment, part, lane.name, to_text(bar.start), to_text(bar.end));
  }

  // Work that is finer than a pixel, or parallel: in every pixel, tasks are stacked as high as
  // the share of `capacity` that they used.
  void draw_shares(const std::vector<Use>& uses, const SvgBox& row, double capacity,
                   std::string_view attributes = {}) {
    if (uses.empty()) return;
    const auto columns = static_cast<std::size_t>(std::ceil(row.width));
    std::vector<TaskIndex> tasks;
    for (const Use& use : uses) {
      if (std::ranges::find(tasks, use.task) == tasks.end()) tasks.push_back(use.task);
    }
    std::ranges::sort(tasks);
    std::vector<std::vector<double>> used(tasks.size(), std::vector<double>(columns));
    for (const Use& use : uses) {
      const auto task = static_cast<std::size_t>(std::ranges::lower_bound(tasks, use.task) - tasks.begin());
      const double start = x_of(use.start) - row.x;
      const double end = x_of(use.end) - row.x;
      for (auto i = static_cast<std::size_t>(start); i < columns && static_cast<double>(i) < end; ++i) {
        const double inside =
            std::min(end, static_cast<double>(i) + 1) - std::max(start, static_cast<double>(i));
        used[task][i] += inside * use.share / capacity;
      }
    }
    std::vector<double> floor(columns, 0.0);
    for (std::size_t task = 0; task < tasks.size(); ++task) {
      const std::string path = share_path(used[task], floor, row);
      if (path.empty()) continue;
      bars_.path(path, filled(colours::of_task(tasks[task])) + std::string{attributes} +
                           R"( shape-rendering="crispEdges")");
    }
  }

  /// Rectangles of so many heights on top of `floor`, which they raise; neighbours of one height are one.
  static std::string share_path(const std::vector<double>& heights, std::vector<double>& floor,
                                const SvgBox& row) {
    constexpr double least = 0.08;  // so that the smallest share stays visible
    constexpr double alike = 0.02;
    std::string path;
    for (std::size_t first = 0; first < heights.size();) {
      std::size_t last = first + 1;
      while (last < heights.size() && std::abs(heights[last] - heights[first]) < alike &&
             (heights[last] > 0) == (heights[first] > 0) && std::abs(floor[last] - floor[first]) < alike) {
        ++last;
      }
      if (heights[first] > 0 && floor[first] < 1) {
        const double height = std::min(std::max(heights[first], least), 1 - floor[first]);
        path += fmt::format("M{:.2f} {:.2f}h{}v{:.2f}h-{}z", row.x + static_cast<double>(first),
                            row.y + row.height * (1 - floor[first] - height), last - first,
                            row.height * height, last - first);
        for (std::size_t i = first; i < last; ++i) floor[i] += height;
      }
      first = last;
    }
    return path;
  }

  double draw_tasks(double y) {
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
      if (!rows_.jobs[task].empty()) y = draw_task(task, y) + lane_gap;
    }
    return y;
  }

  double draw_task(TaskIndex task, double y) {
    const Jobs& jobs = rows_.jobs[task];
    trace::Lanes lanes;
    std::vector<Place> places;
    if (steps_[task] < crowd) {
      for (const DrawnJob& job : jobs) places.push_back(place_of(job.ended, lanes));
    }
    const double height =
        mark_room_ + job_row_ * static_cast<double>(std::max<std::size_t>(lanes.size(), 1)) + 5;
    const double floor = y + height - 3;
    draw_panel(y, height, name_of(task));
    if (places.empty()) draw_crowd(task, {left_, floor - job_row_ + 2, right_ - left_, job_row_ - 2});
    for (std::size_t i = 0; i < places.size(); ++i) {
      draw_job(jobs[i], floor - job_row_ * static_cast<double>(places[i].row), places[i].with_waiting);
    }
    // The most important marks are drawn last, on top.
    for (const DrawnJob& job : jobs) draw_release(job.ended, y + 2, floor);
    for (const DrawnJob& job : jobs) {
      if (!job.ended.missed && is_marked(job.ended)) draw_deadline(job.ended, y + 2, floor);
    }
    draw_misses(jobs, y + 2, floor);
    draw_bounds(task, y, floor);
    if (!places.empty()) draw_lateness(jobs, floor);
    return y + height;
  }

  struct Place {
    std::size_t row = 0;
    bool with_waiting = true;
  };

  // Jobs of one task that are pending at the same time get rows of their own. If there are too many, a job
  // gets a row that is free from its start on, and its waiting is not drawn.
  Place place_of(const trace::JobEnded& job, trace::Lanes& lanes) {
    const Time end = std::min(job.completion, std::max(rows_.to, job.release));
    if (const auto row = lanes.place(job.release, end, most_job_rows)) return {*row, true};
    has_hidden_waiting_ = true;
    if (job.start == never) return {0, false};
    return {lanes.place(job.start, end, most_job_rows).value_or(most_job_rows - 1), false};
  }

  void draw_job(const DrawnJob& job, double bottom, bool with_waiting) {
    const trace::JobEnded& ended = job.ended;
    const colours::TaskPaint paint = colours::of_task(ended.job.task);
    const double top = bottom - job_row_ + 2;
    const double height = job_row_ - 2;
    const auto add = [&](Time start, Time end, const SvgBox& box, const std::string& attributes) {
      if (end <= rows_.from || start >= rows_.to || end <= start) return;
      bars_.rectangle({x_of(start), box.y, std::max(x_of(end) - x_of(start), 0.5), box.height}, attributes,
                      story(ended));
    };
    // A job that was given up is drawn up to its deadline: the instant it was given up is not known.
    const bool pending = ended.fate == trace::Fate::ran;
    const Time last = ended.completion != never ? ended.completion : (pending ? rows_.to : ended.start);
    if (with_waiting && last != never && ended.fate != trace::Fate::skipped &&
        ended.fate != trace::Fate::no_room) {
      add(ended.release, last, {0, top + height - 6, 0, 6},
          filled(paint) + fmt::format(R"( fill-opacity="{}")", waiting_opacity));
    }
    for (const Stretch& stretch : job.executing) {
      add(stretch.start, stretch.end, {0, top, 0, height}, R"(rx="2.5" )" + filled_and_drawn(paint));
    }
    if (ended.missed && ended.start != never && last != never) {
      add(std::max(ended.start, ended.deadline), last, {0, top, 0, height},
          fmt::format(R"(rx="2.5" class="miss-line" fill="{}" stroke="{}")", colours::late_pattern,
                      colours::miss.light));
    }
    draw_job_label(job, top + height - 3);
  }

  void draw_job_label(const DrawnJob& job, double y) {
    const std::string label = fmt::format("#{}", job.ended.job.number);
    double left = 0;
    double right = 0;
    for (const Stretch& stretch : job.executing) {
      const Time end = job.ended.missed ? std::min(stretch.end, job.ended.deadline) : stretch.end;
      const double from = x_of(stretch.start);
      const double to = x_of(std::max(end, stretch.start));
      if (to - from > right - left) std::tie(left, right) = std::pair{from, to};
    }
    if (small_width(label) + 5 > right - left) return;
    bars_.text({(left + right) / 2, y}, "middle", on_bar(job.ended.job.task), label);
  }

  void draw_crowd(TaskIndex task, const SvgBox& row) {
    has_crowds_ = true;
    std::vector<Use> executing;
    std::vector<Use> pending;
    for (const DrawnJob& job : rows_.jobs[task]) {
      for (const Stretch& stretch : job.executing) executing.push_back({stretch.start, stretch.end, task});
      if (job.ended.fate == trace::Fate::ran) {
        pending.push_back({job.ended.release, std::min(job.ended.completion, rows_.to), task});
      }
    }
    draw_shares(pending, row, 1, fmt::format(R"( fill-opacity="{}")", waiting_opacity));
    draw_shares(executing, row, 1);
  }

  void draw_release(const trace::JobEnded& job, double top, double floor) {
    if (!is_marked(job) || !shows(job.release)) return;
    marks_.arrow(x_of(job.release), top, floor, true, colours::ink, "release: " + story(job));
  }

  void draw_deadline(const trace::JobEnded& job, double top, double floor) {
    if (job.deadline == never || !shows(job.deadline)) return;
    marks_.arrow(x_of(job.deadline), top, floor, false, job.missed ? colours::miss : colours::ink,
                 (job.missed ? "missed deadline: " : "deadline: ") + story(job));
  }

  // Arrows where they do not cover each other, else a short line at the bottom.
  void draw_misses(const Jobs& jobs, double top, double floor) {
    const double apart =
        jobs.empty() || steps_[jobs.front().ended.job.task] < crowd ? closest_marks : closest_in_crowd / 2;
    double last_arrow = -apart;
    double line_end = 0;
    std::string line;
    for (const DrawnJob& job : jobs) {
      if (!job.ended.missed || !shows(job.ended.deadline)) continue;
      const double x = x_of(job.ended.deadline);
      if (x >= last_arrow + apart) {
        draw_deadline(job.ended, top, floor);
        last_arrow = x;
      } else if (x > line_end) {
        line += fmt::format("M{:.2f} {:.2f}h1v2.5h-1z", x - 0.5, floor + 0.5);
        line_end = x + 0.5;
      }
    }
    if (line.empty()) return;
    has_miss_line_ = true;
    marks_.path(line, filled(colours::miss));
  }

  struct ShownBound {
    const trace::JobEnded* job = nullptr;
    double x = 0;
    Duration bound{};
    bool exceeded = false;
  };

  // Like missed deadlines, exceeded bounds are never thinned, but not drawn on top of each other.
  [[nodiscard]] std::vector<ShownBound> shown_bounds(TaskIndex task) const {
    std::vector<ShownBound> shown;
    double last_exceeded = -closest_marks;
    for (const DrawnJob& job : rows_.jobs[task]) {
      const std::optional<trace::BoundMark> mark = trace::bound_mark(bounds_, job.ended);
      if (!mark || !shows(mark->time)) continue;
      const ShownBound next{&job.ended, x_of(mark->time), mark->bound, mark->kept == false};
      if (!is_marked(job.ended)) {
        if (!next.exceeded || next.x < last_exceeded + closest_marks) continue;
      }
      if (next.exceeded) last_exceeded = next.x;
      shown.push_back(next);
    }
    return shown;
  }

  [[nodiscard]] bool has_bound_marks(bool exceeded) const {
    for (TaskIndex task = 0; task < rows_.jobs.size(); ++task) {
      const std::vector<ShownBound> shown = shown_bounds(task);
      if (std::ranges::find(shown, exceeded, &ShownBound::exceeded) != shown.end()) return true;
    }
    return false;
  }

  // Between the heads of releases, which are above, and those of deadlines, which are below: all three can be
  // distinguished where they meet.
  void draw_bounds(TaskIndex task, double top, double floor) {
    for (const ShownBound& mark : shown_bounds(task)) {
      marks_.diamond({mark.x, top + mark_room_}, floor, mark.exceeded ? colours::ink : colours::panel,
                     colours::ink,
                     fmt::format("{} of {}: {}", mark.exceeded ? "exceeded bound" : "bound",
                                 to_text(mark.bound), story(*mark.job)));
    }
  }

  // Writes the lateness of a job to the right of its bar where there is space.
  void draw_lateness(const Jobs& jobs, double floor) {
    for (const DrawnJob& drawn : jobs) {
      const trace::JobEnded& job = drawn.ended;
      if (!job.missed || job.completion == never || !shows(job.completion)) continue;
      const std::string late = spaced(to_text(job.completion - job.deadline)) + " late";
      const double x = x_of(job.completion) + 6;
      const double end = x + small_width(late);
      const auto in_the_way = [&](const DrawnJob& one) {
        const trace::JobEnded& other = one.ended;
        const auto inside = [&](Time time) {
          return time != never && shows(time) && x - 6 < x_of(time) && x_of(time) < end + 4;
        };
        const bool spans = other.release <= job.completion && job.completion < other.completion;
        const std::optional<trace::BoundMark> bound = trace::bound_mark(bounds_, other);
        return spans || inside(other.release) || inside(other.deadline) || inside(other.start) ||
               (bound && inside(bound->time));
      };
      if (end > right_ || std::ranges::any_of(jobs, in_the_way)) continue;
      marks_.text({x, floor - 3}, "start",
                  filled(colours::miss) + std::string{small} + R"( font-weight="600")", late);
    }
  }

  [[nodiscard]] std::string story(const trace::JobEnded& job) const {
    std::string text =
        fmt::format("{} #{}: released at {}", name_of(job.job.task), job.job.number, to_text(job.release));
    if (job.start != never) text += ", started at " + to_text(job.start);
    text += job.completion == never ? std::string{", not completed"}
                                    : ", completed at " + to_text(job.completion);
    if (job.deadline != never) text += ", deadline " + to_text(job.deadline);
    return text;
  }

  void draw_grid(double top, double bottom) {
    std::string path;
    for (const Time tick : axis_.ticks) path += fmt::format("M{:.2f} {:.2f}V{:.2f}", x_of(tick), top, bottom);
    grid_.path(path, drawn(colours::grid));
  }

  double draw_axis(double y) {
    marks_.path(fmt::format("M{:.2f} {:.2f}H{:.2f}", left_, y, right_), drawn(colours::faint));
    double free_from = 0;
    for (const Time tick : axis_.ticks) {
      const double x = x_of(tick);
      marks_.path(fmt::format("M{:.2f} {:.2f}v4", x, y), drawn(colours::faint));
      std::string label = axis_.label(tick);
      if (axis_.unit_name == "us" && label.ends_with("us")) label.replace(label.size() - 2, 2, "µs");
      const double half = text_width(label) / 2;
      // The last one may end where the picture does.
      const double middle = std::min(x, width_ - 6 - half);
      if (middle - half < free_from) continue;
      marks_.text({middle, y + 17}, "middle", filled(colours::faint), label);
      free_from = middle + half + 4;
    }
    return y + 22;
  }

  // Notes on what the picture leaves out or simplifies.
  double draw_notes(double y) {
    std::vector<std::string> notes;
    std::string thinned;
    for (TaskIndex task = 0; task < steps_.size(); ++task) {
      if (steps_[task] == 1) continue;
      thinned += fmt::format("{}{} {}", thinned.empty() ? "" : ", ", shortened(harmless(name_of(task)), 24),
                             ordinal(steps_[task]));
    }
    if (has_block_labels_) notes.emplace_back("#2.7 is block 7 of job 2.");
    if (!thinned.empty()) notes.push_back("Marks are thinned, by jobs: " + thinned + ".");
    if (has_miss_line_) notes.emplace_back("A red line below a row: deadlines missed, too close for arrows.");
    if (has_crowds_) {
      notes.emplace_back(
          "Where jobs are too many to be drawn one by one, the height is the part of the time "
          "in which one executed.");
    }
    if (has_shared_rows_) {
      notes.emplace_back(
          "Where blocks of an SM or of several SMs share a row, the height is the part of it "
          "that is in use.");
    }
    if (has_hidden_waiting_) {
      notes.push_back(
          fmt::format("Of a task, {} pending jobs are drawn; the waiting of more is not.", most_job_rows));
    }
    for (const std::string& note : notes) y = draw_note(note, y);
    return y;
  }

  double draw_note(const std::string& note, double y) {
    const auto room = static_cast<std::size_t>((right_ - padding) / (small_letter * 0.92));
    for (std::size_t start = 0; start < note.size();) {
      std::size_t end = note.size();
      if (end - start > room) {
        end = note.rfind(' ', start + room);
        if (end == std::string::npos || end <= start) end = std::min(start + room, note.size());
      }
      marks_.text({padding, y + 14}, "start", filled(colours::faint) + std::string{small},
                  note.substr(start, end - start));
      y += 15;
      start = end + 1;
    }
    return y + 2;
  }

  const System& system_;
  std::string title_;
  Rows rows_;
  trace::Bounds bounds_;
  double width_;
  double left_ = 0;  // of the time axis
  double right_;
  double row_height_ = 0;
  double job_row_ = 17;
  double mark_room_ = 12;  // above the bars of a task, for the heads of its release arrows
  Axis axis_;
  std::vector<std::uint64_t> steps_;  // by task: every n-th of its jobs has marks
  std::size_t missed_ = 0;
  bool has_block_labels_ = false;
  bool has_crowds_ = false;
  bool has_miss_line_ = false;
  bool has_shared_rows_ = false;
  bool has_hidden_waiting_ = false;
  // In the order in which they are painted.
  SvgPart heading_;
  SvgPart panels_;
  SvgPart grid_;
  SvgPart bars_;
  SvgPart marks_;
};

}  // namespace

std::string timeline_svg(const System& system, const trace::Recording& recording, const SvgOptions& options) {
  return Drawing{system, recording, options}.draw();
}

}  // namespace tactus::report
