#include "tactus/analysis/np_edf_as_published.hpp"

#include <algorithm>
#include <utility>

#include "tactus/analysis/as_published.hpp"
#include "tactus/analysis/server_results.hpp"
#include "tactus/base/text.hpp"

namespace tactus::analysis {

namespace {

/// The left side of (3) for task i.
Int128 left_side(std::span<const GpuTask> tasks, std::size_t i) {
  Int128 sum = 0;
  for (std::size_t j = 0; j <= i; ++j) {
    // Not negative: D_j <= D_i <= T_i.
    const Int128 jobs =
        (static_cast<Int128>(in_ns(tasks[i].cost)) - in_ns(tasks[j].deadline) + in_ns(tasks[i].period)) /
        in_ns(tasks[j].period);
    sum += jobs * in_ns(tasks[j].cost);
  }
  Duration blocking{};
  for (std::size_t l = i + 1; l < tasks.size(); ++l) blocking = std::max(blocking, tasks[l].cost);
  return sum + in_ns(blocking);
}

}  // namespace

Result np_edf_as_published(const System& system) {
  GpuServers found = published_servers(system, single_stream_servers);
  if (!found.why_not.empty()) return does_not_apply(std::move(found.why_not));
  ServerResults results{system};
  for (const GpuServer& server : found.servers) {
    const std::vector<GpuTask> tasks = by_deadline(server.tasks);
    std::size_t i = 0;
    while (i < tasks.size() && left_side(tasks, i) <= in_ns(tasks[i].deadline)) ++i;
    if (i == tasks.size()) {
      results.keep_deadlines(server);
      continue;
    }
    const std::string& name = system.tasks[tasks[i].task].name;
    Witness witness;
    witness.reason = "inequality (3) fails for '" + name + "' at its deadline " + to_text(tasks[i].deadline);
    witness.detail = {{"server", server.name}, {"task", name}};
    results.fails(Verdict::unproven, std::move(witness));
  }
  return std::move(results).finish("inequality (3) holds as printed, which proves nothing");
}

Analysis np_edf_as_published_analysis() {
  return {.id = "np-edf-as-published",
          .title = "Non-preemptive EDF in one stream, as published",
          .source = "PRUDA, Theorem 1, as printed",
          .strategy = "single-stream",
          .needs =
              "single-stream, order edf; periodic or sporadic tasks, deadlines no longer than periods; no "
              "overheads, jitter or best-effort tasks",
          .kind = Kind::sufficient,
          .sound = false,
          .run = np_edf_as_published};
}

}  // namespace tactus::analysis
