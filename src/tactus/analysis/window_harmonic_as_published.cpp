#include "tactus/analysis/window_harmonic_as_published.hpp"

#include <algorithm>
#include <utility>

#include "tactus/analysis/as_published.hpp"
#include "tactus/analysis/window_harmonic.hpp"

namespace tactus::analysis {

namespace {

/// Definition 3.
ConvertedTask convert(const GpuTask& task, const Supply& supply) {
  const Duration period = std::min(supply.period, task.period);                              // (13)
  const Duration deadline = std::max(Duration{}, period - (supply.period - supply.budget));  // (14)
  return {task.task, task.cost, ceil_div(in_ns(task.period), in_ns(supply.period)), deadline,
          period};  // (15)
}

void judge(const System& system, const GpuServer& server, ServerResults& results) {
  std::vector<ConvertedTask> converted;
  for (const GpuTask& task : server.tasks) {
    converted.push_back(server.supply ? convert(task, *server.supply)
                                      : ConvertedTask{task.task, task.cost, 1, task.deadline, task.period});
    if (converted.back().deadline > Duration{}) continue;
    const std::string& name = system.tasks[task.task].name;
    Witness witness;
    witness.reason = "the converted deadline of '" + name + "' is 0";
    witness.detail = {{"server", server.name}, {"task", name}};
    results.fails(Verdict::unproven, std::move(witness));
    return;
  }
  judge_converted(system, server, converted, results);
}

}  // namespace

Result window_harmonic_as_published(const System& system) {
  GpuServers found = published_window_servers(system);
  if (!found.why_not.empty()) return does_not_apply(std::move(found.why_not));
  if (std::string obstacle = find_unharmonic(system, found.servers); !obstacle.empty())
    return does_not_apply(std::move(obstacle));
  ServerResults results{system};
  for (const GpuServer& server : found.servers) judge(system, server, results);
  return std::move(results).finish("Theorem 6 holds as printed, which proves nothing");
}

Analysis window_harmonic_as_published_analysis() {
  return {
      .id = "window-harmonic-as-published",
      .title = "EDF in windows, periods harmonic with the reservation, as published",
      .source = "PRUDA, Theorem 6 with Definition 3, as printed",
      .strategy = "sm-cores",
      .needs =
          "sm-cores, order edf; periodic or sporadic tasks, deadlines no longer than periods; exclusive work "
          "with longest_block 0; every period divides the reservation period or is a multiple of it; no "
          "overheads, jitter or best-effort tasks",
      .kind = Kind::sufficient,
      .sound = false,
      .run = window_harmonic_as_published};
}

}  // namespace tactus::analysis
