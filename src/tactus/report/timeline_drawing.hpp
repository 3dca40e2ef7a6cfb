// The picture of a schedule, drawn part by part; timeline.hpp is its face.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/report/svg.hpp"
#include "tactus/report/timeline.hpp"
#include "tactus/report/timeline_colours.hpp"
#include "tactus/report/timeline_rows.hpp"
#include "tactus/trace/span_layout.hpp"

namespace tactus::report::drawing {

inline constexpr double lane_gap = 6;
inline constexpr std::size_t max_job_rows = 4;
inline constexpr double small_letter = 6.5;  // of the 11 pixel font
inline constexpr double closest_marks = 9;
inline constexpr double closest_in_crowd = 36;
inline constexpr double waiting_opacity = 0.32;
inline constexpr std::uint64_t crowd =
    5;  // when only every fifth mark is drawn, jobs are not drawn one by one
inline constexpr std::string_view small = R"( font-size="11")";

/// Of text in the 11 pixel font: nobody knows which font will be there.
double small_width(std::string_view text);
/// "12 ms": a picture has room for the space.
std::string spaced(const std::string& text);
std::string shown_name(const Track& lane);
/// The attributes of text on a bar; textures are kept away from it.
std::string on_bar(TaskIndex task);

class Drawing {
 public:
  Drawing(const System& system, const trace::Recording& recording, const SvgOptions& options);
  std::string draw();

 private:
  using Jobs = std::vector<DrawnJob>;
  /// Time of a row that somebody used, wholly or in part.
  struct Use {
    Time start{};
    Time end{};
    TaskIndex task = 0;
    double share = 1;
  };

  [[nodiscard]] double x_of(Time time) const {
    const Time shown = std::clamp(time, rows_.from, rows_.to);
    return left_ + (right_ - left_) * (static_cast<double>(in_ns(shown - rows_.from)) /
                                       static_cast<double>(in_ns(rows_.to - rows_.from)));
  }
  [[nodiscard]] bool shows(Time time) const { return rows_.from <= time && time <= rows_.to; }
  [[nodiscard]] const std::string& name_of(TaskIndex task) const { return system_.tasks.at(task).name; }
  /// Whether the release, the deadline and the bound of a job are marked; misses are in any case.
  [[nodiscard]] bool is_marked(const trace::JobEnded& job) const {
    return job.job.number % steps_[job.job.task] == 0;
  }

  // Title, what is shown, and the legend. Like all that draws: returns where the next part may begin.
  double draw_heading();
  double draw_legend(double y);
  [[nodiscard]] bool has_deadlines() const;
  void draw_panel(double y, double height, std::string_view name, const SvgPaint& paint = colours::ink);

  // timeline_lanes_svg.cpp: what ran where.
  double draw_lanes(double y);
  void draw_row(const Track& lane, const std::vector<Bar>& bars, double y);
  // As much as there is room for: task, job and block; job and block; the job alone.
  void draw_bar_label(const Track& lane, const Bar& bar, double start, double bar_width, double y);
  [[nodiscard]] std::int64_t blocks_of(const Bar& bar) const;
  [[nodiscard]] std::string bar_story(const Track& lane, const Bar& bar) const;
  // What is finer than the picture, or happened side by side: in every pixel, tasks are stacked as high as
  // the part of `capacity` that they used.
  void draw_shares(const std::vector<Use>& uses, const SvgBox& row, double capacity,
                   std::string_view attributes = {});
  /// Rectangles of so many heights on top of `floor`, which they raise; neighbours of one height are one.
  static std::string share_path(const std::vector<double>& heights, std::vector<double>& floor,
                                const SvgBox& row);

  // timeline_jobs_svg.cpp: what became of every job.
  double draw_tasks(double y);
  double draw_task(TaskIndex task, double y);
  struct Place {
    std::size_t row = 0;
    bool with_waiting = true;
  };

  // Jobs of one task that are pending side by side stand above each other. In a crowd a job stands where
  // there is room from its start on, and its waiting is not drawn.
  Place place_of(const trace::JobEnded& job, trace::SpanLayout& lanes);
  void draw_job(const DrawnJob& job, double bottom, bool with_waiting);
  void draw_job_label(const DrawnJob& job, double y);
  void draw_crowd(TaskIndex task, const SvgBox& row);
  void draw_release(const trace::JobEnded& job, double top, double floor);
  void draw_deadline(const trace::JobEnded& job, double top, double floor);
  // Arrows as long as they do not cover each other; below them, a line wherever there is one.
  void draw_misses(const Jobs& jobs, double top, double floor);
  struct ShownBound {
    const trace::JobEnded* job = nullptr;
    double x = 0;
    Duration bound{};
    bool exceeded = false;
  };

  // Like missed deadlines, exceeded bounds are shown however crowded it is, but not on top of each other.
  [[nodiscard]] std::vector<ShownBound> shown_bounds(TaskIndex task) const;
  [[nodiscard]] bool has_bound_marks(bool exceeded) const;
  // Between the heads of releases, which are above, and those of deadlines, which are below: all three can be
  // told apart where they meet.
  void draw_bounds(TaskIndex task, double top, double floor);
  // Says how late a job was, behind its bar, where nothing else stands.
  void draw_lateness(const Jobs& jobs, double floor);
  [[nodiscard]] std::string story(const trace::JobEnded& job) const;

  void draw_grid(double top, double bottom);
  double draw_axis(double y);
  // What the picture leaves out or shows in another way than usual.
  double draw_notes(double y);
  double draw_note(const std::string& note, double y);

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
  std::vector<std::uint64_t> steps_;  // by task: of its jobs every which one has marks
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

}  // namespace tactus::report::drawing
