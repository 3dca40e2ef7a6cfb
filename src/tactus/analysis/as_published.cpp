#include "tactus/analysis/as_published.hpp"

#include <algorithm>
#include <utility>

#include "tactus/analysis/window_demand.hpp"
#include "tactus/base/text.hpp"
#include "tactus/model/dispatch.hpp"

namespace tactus::analysis {

std::string beyond_the_papers(const System& system) {
  const Overheads& overheads = system.platform.overheads;
  if (overheads != Overheads{} || longest_launch(system) > Duration{}) {
    return "the paper knows no overheads: platform.overheads is not 0";
  }
  for (const Task& task : system.tasks) {
    if (task.arrival == Arrival::best_effort) {
      return "the paper knows no best-effort tasks: task '" + task.name + "' is one";
    }
    if (task.jitter > Duration{}) {
      return "the paper knows no jitter: task '" + task.name + "' has " + to_text(task.jitter);
    }
  }
  return {};
}

GpuServers published_servers(const System& system, GpuServers (*servers)(const System&)) {
  if (system.policy.order != Order::edf) return {"needs the order edf"};
  std::string obstacle = beyond_the_papers(system);
  return obstacle.empty() ? servers(system) : GpuServers{std::move(obstacle)};
}

GpuServers published_window_servers(const System& system) {
  std::string obstacle = ideal_windows_obstacle(system);
  return obstacle.empty() ? published_servers(system, sm_core_servers) : GpuServers{std::move(obstacle)};
}

std::vector<GpuTask> by_deadline(std::span<const GpuTask> tasks) {
  std::vector<GpuTask> sorted{tasks.begin(), tasks.end()};
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const GpuTask& a, const GpuTask& b) { return a.deadline < b.deadline; });
  return sorted;
}

}  // namespace tactus::analysis
