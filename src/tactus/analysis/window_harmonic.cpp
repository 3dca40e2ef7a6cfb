#include "tactus/analysis/window_harmonic.hpp"

#include <algorithm>
#include <utility>

#include "tactus/analysis/in_phase.hpp"
#include "tactus/base/text.hpp"

namespace tactus::analysis {

bool is_harmonic(const GpuTask& task, const Supply& supply) {
  return task.period % supply.period == Duration{} || supply.period % task.period == Duration{};
}

ConvertedTask to_harmonic(const GpuTask& task, const Supply& supply) {
  const Duration closes = supply.offset + supply.budget;
  if (task.period <= supply.period) {
    const Duration tail = supply.period - closes;  // from the end of the window to the end of the period
    return {task.task, task.cost, 1, std::min(task.deadline, task.period - tail) - supply.offset,
            task.period};
  }
  if (task.deadline < closes) return {task.task, task.cost, 1, task.deadline - supply.offset, task.period};
  const std::int64_t windows = (task.deadline - closes) / supply.period + 1;
  return {task.task, task.cost, windows, supply.budget, supply.period};
}

namespace {

/// A window that covers its period counts as always open.
bool has_windows(const GpuServer& server) {
  return server.supply && server.supply->budget < server.supply->period;
}

}  // namespace

std::string find_unharmonic(const System& system, std::span<const GpuServer> servers) {
  for (const GpuServer& server : servers) {
    if (!has_windows(server)) continue;
    for (const GpuTask& task : server.tasks) {
      if (is_harmonic(task, *server.supply)) continue;
      return "needs periods that divide the reservation period or are multiples of it: task '" +
             system.tasks[task.task].name + "' has " + to_text(task.period) + ", the reservation " +
             to_text(server.supply->period);
    }
  }
  return {};
}

namespace {

void judge(const System& system, const GpuServer& server, ServerResults& results) {
  std::vector<ConvertedTask> converted;
  for (const GpuTask& task : server.tasks) {
    converted.push_back(has_windows(server)
                            ? to_harmonic(task, *server.supply)
                            : ConvertedTask{task.task, task.cost, 1, task.deadline, task.period});
    if (converted.back().deadline > Duration{}) continue;
    const std::string& name = system.tasks[task.task].name;
    Witness witness;
    witness.reason = "where every job of '" + name + "' waits until the window of " + server.name +
                     " has opened, no time is left for some";
    witness.detail = {{"server", server.name}, {"task", name}};
    results.fails(Verdict::unproven, std::move(witness));
    return;
  }
  judge_converted(system, server, converted, results);
}

}  // namespace

Result window_harmonic(const System& system) {
  if (std::string obstacle = in_phase_from_zero_obstacle(system); !obstacle.empty())
    return does_not_apply(std::move(obstacle));
  GpuServers found = sm_core_servers(system);
  if (!found.why_not.empty()) return does_not_apply(std::move(found.why_not));
  if (std::string obstacle = find_unharmonic(system, found.servers); !obstacle.empty())
    return does_not_apply(std::move(obstacle));
  ServerResults results{system};
  for (const GpuServer& server : found.servers) {
    if (is_overloaded(server)) {
      results.fails(Verdict::unschedulable, overload_witness(server));
    } else {
      judge(system, server, results);
    }
  }
  return std::move(results).finish("the harmonic tasks hold without windows, so they hold with them");
}

Analysis window_harmonic_analysis() {
  return {
      .id = "window-harmonic",
      .title = "EDF in windows, periods harmonic with the reservation",
      .source = "PRUDA, Theorem 6 with Definition 3, corrected",
      .strategy = "sm-cores",
      .needs =
          "sm-cores, order edf; periodic tasks with offset 0, deadlines no longer than periods, no jitter, "
          "no release overhead; exclusive work with longest_block 0; every period divides the reservation "
          "period or is a multiple of it",
      .kind = Kind::sufficient,
      .sound = true,
      .run = window_harmonic};
}

}  // namespace tactus::analysis
