#include "tactus/analysis/window_chunks_as_published.hpp"

#include <utility>

#include "tactus/analysis/as_published.hpp"
#include "tactus/analysis/chunks.hpp"
#include "tactus/analysis/converted_tasks.hpp"
#include "tactus/base/text.hpp"

namespace tactus::analysis {

namespace {

Witness limit_witness(const System& system, const GpuServer& server, const GpuTask& task) {
  const std::string limit = "of " + with_thousands(static_cast<std::uint64_t>(max_skipped_jobs)) +
                            " jobs of '" + system.tasks[task.task].name +
                            "' in succession only one has a chunk";
  Witness witness;
  witness.reason = server.name + ": " + limit;
  witness.detail = {{"server", server.name}, {"limit", limit}};
  return witness;
}

void judge(const System& system, const GpuServer& server, ServerResults& results) {
  std::vector<ConvertedTask> converted;
  for (const GpuTask& task : server.tasks) {
    if (!server.supply) {
      converted.push_back({task.task, task.cost, 1, task.deadline, task.period});
      continue;
    }
    const std::optional<SurvivingChunk> least = min_surviving_chunk(task, *server.supply);
    if (!least) {
      results.fails(Verdict::gave_up, limit_witness(system, server, task));
      return;
    }
    if (least->length > Duration{})
      converted.push_back({task.task, task.cost, 1, least->length, least->distance});
  }
  judge_converted(system, server, converted, results);
}

}  // namespace

Result window_chunks_as_published(const System& system) {
  GpuServers found = published_window_servers(system);
  if (!found.why_not.empty()) return does_not_apply(std::move(found.why_not));
  ServerResults results{system};
  for (const GpuServer& server : found.servers) judge(system, server, results);
  return std::move(results).finish("Theorem 4 holds as printed, which proves nothing");
}

Analysis window_chunks_as_published_analysis() {
  return {
      .id = "window-chunks-as-published",
      .title = "EDF in windows, every job in its longest chunk, as published",
      .source = "PRUDA, Theorem 4 with Algorithm 1, as printed",
      .strategy = "sm-cores",
      .needs =
          "sm-cores, order edf; periodic or sporadic tasks, deadlines no longer than periods; exclusive work "
          "with longest_block 0; no overheads, jitter or best-effort tasks",
      .kind = Kind::sufficient,
      .sound = false,
      .run = window_chunks_as_published};
}

}  // namespace tactus::analysis
