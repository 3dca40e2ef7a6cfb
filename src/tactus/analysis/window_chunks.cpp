#include "tactus/analysis/window_chunks.hpp"

#include <utility>

#include "tactus/analysis/chunks.hpp"
#include "tactus/analysis/converted_tasks.hpp"
#include "tactus/analysis/in_phase.hpp"
#include "tactus/base/text.hpp"

namespace tactus::analysis {

namespace {

Witness lost_job(const System& system, const GpuServer& server, const GpuTask& task, Duration release) {
  const std::string& name = system.tasks[task.task].name;
  Witness witness;
  witness.reason = "a job of '" + name + "' released " + to_text(release) +
                   " after the start of a reservation period meets no window of " + server.name +
                   " before its deadline";
  witness.detail = {{"server", server.name}, {"task", name}, {"release_in_period_ns", release}};
  return witness;
}

void judge(const System& system, const GpuServer& server, ServerResults& results) {
  std::vector<ConvertedTask> converted;
  for (const GpuTask& task : server.tasks) {
    if (!server.supply) {
      converted.push_back({task.task, task.cost, 1, task.deadline, task.period});
      continue;
    }
    const LeastChunk least = min_chunk(task, *server.supply);
    if (least.lost) {
      results.fails(Verdict::unproven, lost_job(system, server, task, *least.lost));
      return;
    }
    converted.push_back({task.task, task.cost, 1, least.length, least.distance});
  }
  judge_converted(system, server, converted, results);
}

}  // namespace

Result window_chunks(const System& system) {
  if (std::string obstacle = in_phase_from_zero_obstacle(system); !obstacle.empty())
    return does_not_apply(std::move(obstacle));
  GpuServers found = sm_core_servers(system);
  if (!found.why_not.empty()) return does_not_apply(std::move(found.why_not));
  ServerResults results{system};
  for (const GpuServer& server : found.servers) {
    if (is_overloaded(server)) {
      results.fails(Verdict::unschedulable, overload_witness(server));
    } else {
      judge(system, server, results);
    }
  }
  return std::move(results).finish("every job has time enough in its longest chunk");
}

Analysis window_chunks_analysis() {
  return {
      .id = "window-chunks",
      .title = "EDF in windows, every job in its longest chunk",
      .source = "PRUDA, Theorem 4 with Algorithm 1, corrected",
      .strategy = "sm-cores",
      .needs =
          "sm-cores, order edf; periodic tasks with offset 0, deadlines no longer than periods, no jitter, "
          "no release overhead; exclusive work with longest_block 0",
      .kind = Kind::sufficient,
      .sound = true,
      .run = window_chunks};
}

}  // namespace tactus::analysis
