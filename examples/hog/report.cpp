#include "report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace hog {

namespace {

double milliseconds(tactus::Duration time) { return static_cast<double>(tactus::in_ns(time)) / 1e6; }

std::string text_of(const std::optional<tactus::Duration>& time) {
  return time ? fmt::format("{:.3f}ms", milliseconds(*time)) : "-";
}

Found sum_of(const RunResult& result) {
  Found sum;
  for (const CameraResult& camera : result.cameras) {
    sum.frames += camera.found.frames;
    sum.drawn += camera.found.drawn;
    sum.found += camera.found.found;
    sum.elsewhere += camera.found.elsewhere;
    sum.detections += camera.found.detections;
  }
  return sum;
}

}  // namespace

bool finds_figures(const RunResult& result) {
  const Found sum = sum_of(result);
  if (sum.drawn == 0) return sum.frames > 0;  // images: nobody knows what is on them
  return 100 * sum.found >= 95 * sum.drawn && 100 * sum.elsewhere <= 5 * sum.drawn;
}

std::string to_text(const RunResult& result) {
  const tactus::RunReport& report = result.report;
  std::string text =
      fmt::format("{:<10} {:>7} {:>11} {:>11} {:>11} {:>11} {:>7} {:>7} {:>7} {:>9}\n", "camera", "frames",
                  "bound", "worst", "mean", "p99", "misses", "drawn", "found", "elsewhere");
  for (std::size_t i = 0; i < report.tasks.size(); ++i) {
    const tactus::trace::TaskStatistics& task = report.tasks[i];
    const Found& found = result.cameras[i].found;
    const auto of = [&](tactus::Duration tactus::trace::ResponseTimes::*value) {
      return task.response ? text_of((*task.response).*value) : std::string{"-"};
    };
    using Times = tactus::trace::ResponseTimes;
    text += fmt::format("{:<10} {:>7} {:>11} {:>11} {:>11} {:>11} {:>7} {:>7} {:>7} {:>9}\n",
                        report.system.tasks[i].name, task.completed, text_of(report.bounds[i]),
                        of(&Times::max), of(&Times::mean), of(&Times::p99), task.misses, found.drawn,
                        found.found, found.elsewhere);
  }
  const Found sum = sum_of(result);
  text += fmt::format("{} frames, {} detections; of {} figures {} found, {} detections elsewhere.\n",
                      sum.frames, sum.detections, sum.drawn, sum.found, sum.elsewhere);
  for (const tactus::TaskIndex task : report.exceeded_bounds()) {
    text += fmt::format("{} of {}{}.\n", report.counts_overheads() ? "BOUND EXCEEDED: a frame" : "A frame",
                        report.system.tasks[task].name,
                        report.counts_overheads() ? " took longer than proven"
                                                  : " took longer than on a machine without overheads");
  }
  if (report.outcome.assumptions.first) {
    text += "ASSUMPTION BROKEN FIRST: " +
            tactus::device::to_text(report.system, *report.outcome.assumptions.first) + ".\n";
  }
  for (const std::string& what : report.outcome.not_enforced) text += "Not enforced: " + what + ".\n";
  if (!report.outcome.failure.empty()) text += "FAILED: " + report.outcome.failure + ".\n";
  return text;
}

std::string to_json(const RunResult& result, const Settings& settings, std::string_view device) {
  using nlohmann::ordered_json;
  const tactus::RunReport& report = result.report;
  ordered_json json{{"system", report.system.name},
                    {"device", device},
                    {"size", {settings.width, settings.height}},
                    {"levels", settings.levels},
                    {"order", report.system.policy.order == tactus::Order::fair_lateness ? "fl" : "edf"},
                    {"reached_ns", tactus::in_ns(report.outcome.reached)},
                    {"ending", tactus::runtime::to_string(report.outcome.ending)},
                    {"failure", report.outcome.failure},
                    {"holds", report.holds()},
                    {"counts_overheads", report.counts_overheads()},
                    {"not_enforced", report.outcome.not_enforced},
                    {"cameras", ordered_json::array()}};
  if (report.outcome.assumptions.first) {
    json["broken_first"] = tactus::device::to_text(report.system, *report.outcome.assumptions.first);
  }
  for (std::size_t i = 0; i < report.tasks.size(); ++i) {
    const tactus::trace::TaskStatistics& task = report.tasks[i];
    const Found& found = result.cameras[i].found;
    ordered_json camera{{"name", report.system.tasks[i].name},
                        {"nodes", report.system.tasks[i].work.nodes.size()},
                        {"released", task.released},
                        {"completed", task.completed},
                        {"misses", task.misses},
                        {"bound_ns", nullptr},
                        {"figures_drawn", found.drawn},
                        {"figures_found", found.found},
                        {"detections_elsewhere", found.elsewhere},
                        {"detections", found.detections}};
    if (report.bounds[i]) camera["bound_ns"] = tactus::in_ns(*report.bounds[i]);
    if (task.response) {
      camera["worst_ns"] = tactus::in_ns(task.response->max);
      camera["mean_ns"] = tactus::in_ns(task.response->mean);
      camera["p99_ns"] = tactus::in_ns(task.response->p99);
    }
    for (const tactus::Duration response : result.cameras[i].responses) {
      camera["responses_ns"].push_back(tactus::in_ns(response));
    }
    json["cameras"].push_back(std::move(camera));
  }
  return json.dump() + "\n";
}

}  // namespace hog
