#include "tactus/analysis/as_published.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "tactus/analysis/in_phase.hpp"
#include "tactus/base/text.hpp"

namespace tactus::analysis {

namespace {

GpuServers refused(std::string why_not) {
  GpuServers result;
  result.why_not = std::move(why_not);
  return result;
}

}  // namespace

std::string beyond_the_papers(const System& system) {
  const Overheads& overheads = system.platform.overheads;
  if (overheads != Overheads{}) {
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
  if (system.policy.order != Order::edf) return refused("needs the order edf");
  if (std::string obstacle = beyond_the_papers(system); !obstacle.empty())
    return refused(std::move(obstacle));
  return servers(system);
}

GpuServers published_window_servers(const System& system) {
  if (std::string obstacle = ideal_windows_obstacle(system); !obstacle.empty())
    return refused(std::move(obstacle));
  return published_servers(system, sm_core_servers);
}

std::vector<GpuTask> by_deadline(std::span<const GpuTask> tasks) {
  std::vector<GpuTask> sorted{tasks.begin(), tasks.end()};
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const GpuTask& a, const GpuTask& b) { return a.deadline < b.deadline; });
  return sorted;
}

}  // namespace tactus::analysis
