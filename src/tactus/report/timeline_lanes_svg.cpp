// Which job had which SM, copy engine or core when.
#include <fmt/format.h>

#include <cmath>
#include <variant>

#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/report/timeline_drawing.hpp"

namespace tactus::report::drawing {

namespace {

constexpr double idle_height = 13;
constexpr double finest_bar = 1;  // pixels; what is finer is drawn as a share of its pixel

}  // namespace

double Drawing::draw_lanes(double y) {
  for (const Track& lane : rows_.lanes) {
    const bool idle = lane.form == TrackForm::idle;
    const double height =
        idle ? idle_height : row_height_ * static_cast<double>(lane.rows.size()) + (row_height_ < 14 ? 2 : 4);
    draw_panel(y, height, shown_name(lane), idle ? colours::faint : colours::ink);
    for (std::size_t row = 0; row < lane.rows.size(); ++row) {
      draw_row(lane, lane.rows[row], y + (row_height_ < 14 ? 1 : 2) + row_height_ * static_cast<double>(row));
    }
    y += height + (row_height_ < 14 ? 3 : lane_gap);
  }
  return y;
}

void Drawing::draw_row(const Track& lane, const std::vector<Bar>& bars, double y) {
  const SvgBox row{left_, y + 0.5, right_ - left_, row_height_ - 1};
  std::vector<Use> shares;
  if (lane.form == TrackForm::together) {
    const bool on_sms = lane.name.starts_with("SM");
    has_shared_rows_ = true;
    for (const Bar& bar : bars) {
      shares.push_back(
          {bar.start, bar.end, bar.job.task, on_sms ? share_of_sm(system_, bar.job.task, bar.segment) : 1.0});
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

void Drawing::draw_bar_label(const Track& lane, const Bar& bar, double start, double bar_width, double y) {
  if (row_height_ < 14) return;
  const bool numbered = bar.block >= 0 && lane.form == TrackForm::each && blocks_of(bar) > 1;
  const std::string job = fmt::format("#{}", bar.job.number);
  const std::string block = numbered ? fmt::format("{}.{}", job, bar.block) : job;
  for (const std::string& label : {shown(name_of(bar.job.task)) + " " + block, block, job}) {
    if (small_width(label) + 6 > bar_width) continue;
    has_block_labels_ = has_block_labels_ || (numbered && label != job);
    bars_.text({start + bar_width / 2, y + row_height_ / 2 + 3.9}, "middle", on_bar(bar.job.task), label);
    return;
  }
}

std::int64_t Drawing::blocks_of(const Bar& bar) const {
  const std::vector<Node>& nodes = system_.tasks.at(bar.job.task).work.nodes;
  if (bar.segment >= nodes.size()) return 1;
  const auto* kernel = std::get_if<KernelSegment>(&nodes[bar.segment].segment);
  return kernel == nullptr ? 1 : kernel->blocks();
}

std::string Drawing::bar_story(const Track& lane, const Bar& bar) const {
  std::string part = lane.name.starts_with("CPU") ? "on a core" : "copy";
  if (bar.block >= 0)
    part = lane.form == TrackForm::each ? fmt::format("block {}", bar.block) : std::string{"a block each"};
  return fmt::format("{} #{}, segment {}, {}, {}: {} to {}", name_of(bar.job.task), bar.job.number,
                     bar.segment, part, lane.name, to_text(bar.start), to_text(bar.end));
}

void Drawing::draw_shares(const std::vector<Use>& uses, const SvgBox& row, double capacity,
                          std::string_view attributes) {
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

std::string Drawing::share_path(const std::vector<double>& heights, std::vector<double>& floor,
                                const SvgBox& row) {
  constexpr double least = 0.08;  // what is there at all must be seen
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
                          row.y + row.height * (1 - floor[first] - height), last - first, row.height * height,
                          last - first);
      for (std::size_t i = first; i < last; ++i) floor[i] += height;
    }
    first = last;
  }
  return path;
}

}  // namespace tactus::report::drawing
