// When jobs were released, executed and had to be done.
#include <fmt/format.h>

#include <optional>
#include <tuple>
#include <utility>

#include "tactus/base/text.hpp"
#include "tactus/report/timeline_drawing.hpp"

namespace tactus::report::drawing {

double Drawing::draw_tasks(double y) {
  for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
    if (!rows_.jobs[task].empty()) y = draw_task(task, y) + lane_gap;
  }
  return y;
}

double Drawing::draw_task(TaskIndex task, double y) {
  const Jobs& jobs = rows_.jobs[task];
  trace::SpanLayout lanes;
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
  // What matters most is drawn last, on top.
  for (const DrawnJob& job : jobs) draw_release(job.ended, y + 2, floor);
  for (const DrawnJob& job : jobs) {
    if (!job.ended.missed && is_marked(job.ended)) draw_deadline(job.ended, y + 2, floor);
  }
  draw_misses(jobs, y + 2, floor);
  draw_bounds(task, y, floor);
  if (!places.empty()) draw_lateness(jobs, floor);
  return y + height;
}

Drawing::Place Drawing::place_of(const trace::JobEnded& job, trace::SpanLayout& lanes) {
  const Time end = std::min(job.completion, std::max(rows_.to, job.release));
  if (const auto row = lanes.place(job.release, end, max_job_rows)) return {*row, true};
  has_hidden_waiting_ = true;
  if (job.start == never) return {0, false};
  return {lanes.place(job.start, end, max_job_rows).value_or(max_job_rows - 1), false};
}

void Drawing::draw_job(const DrawnJob& job, double bottom, bool with_waiting) {
  const trace::JobEnded& ended = job.ended;
  const colours::TaskPaint paint = colours::of_task(ended.job.task);
  const double top = bottom - job_row_ + 2;
  const double height = job_row_ - 2;
  const auto add = [&](Time start, Time end, const SvgBox& box, const std::string& attributes) {
    if (end <= rows_.from || start >= rows_.to || end <= start) return;
    bars_.rectangle({x_of(start), box.y, std::max(x_of(end) - x_of(start), 0.5), box.height}, attributes,
                    story(ended));
  };
  // Behind its deadline nothing is drawn of a job that was given up: nobody knows when that was.
  const bool pending = ended.fate == trace::Fate::ran;
  const Time last = ended.completion != never ? ended.completion : (pending ? rows_.to : ended.start);
  if (with_waiting && last != never && !trace::never_began(ended.fate)) {
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

void Drawing::draw_job_label(const DrawnJob& job, double y) {
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

void Drawing::draw_crowd(TaskIndex task, const SvgBox& row) {
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

void Drawing::draw_release(const trace::JobEnded& job, double top, double floor) {
  if (!is_marked(job) || !shows(job.release)) return;
  marks_.arrow(x_of(job.release), top, floor, true, colours::ink, "release: " + story(job));
}

void Drawing::draw_deadline(const trace::JobEnded& job, double top, double floor) {
  if (job.deadline == never || !shows(job.deadline)) return;
  marks_.arrow(x_of(job.deadline), top, floor, false, job.missed ? colours::miss : colours::ink,
               (job.missed ? "missed deadline: " : "deadline: ") + story(job));
}

void Drawing::draw_misses(const Jobs& jobs, double top, double floor) {
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

std::vector<Drawing::ShownBound> Drawing::shown_bounds(TaskIndex task) const {
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

bool Drawing::has_bound_marks(bool exceeded) const {
  for (TaskIndex task = 0; task < rows_.jobs.size(); ++task) {
    const std::vector<ShownBound> shown = shown_bounds(task);
    if (std::ranges::find(shown, exceeded, &ShownBound::exceeded) != shown.end()) return true;
  }
  return false;
}

void Drawing::draw_bounds(TaskIndex task, double top, double floor) {
  for (const ShownBound& mark : shown_bounds(task)) {
    marks_.diamond({mark.x, top + mark_room_}, floor, mark.exceeded ? colours::ink : colours::panel,
                   colours::ink,
                   fmt::format("{} of {}: {}", mark.exceeded ? "exceeded bound" : "bound",
                               to_text(mark.bound), story(*mark.job)));
  }
}

void Drawing::draw_lateness(const Jobs& jobs, double floor) {
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
    marks_.text({x, floor - 3}, "start", filled(colours::miss) + std::string{small} + R"( font-weight="600")",
                late);
  }
}

std::string Drawing::story(const trace::JobEnded& job) const {
  std::string text =
      fmt::format("{} #{}: released at {}", name_of(job.job.task), job.job.number, to_text(job.release));
  if (job.start != never) text += ", started at " + to_text(job.start);
  text +=
      job.completion == never ? std::string{", not completed"} : ", completed at " + to_text(job.completion);
  if (job.deadline != never) text += ", deadline " + to_text(job.deadline);
  return text;
}

}  // namespace tactus::report::drawing
