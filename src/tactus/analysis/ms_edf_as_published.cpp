#include "tactus/analysis/ms_edf_as_published.hpp"

#include <algorithm>
#include <utility>

#include "tactus/analysis/as_published.hpp"
#include "tactus/analysis/demand.hpp"
#include "tactus/analysis/server_results.hpp"
#include "tactus/base/text.hpp"

namespace tactus::analysis {

namespace {

/// The inequality for one i (from 1), for every t.
DemandAnswer test_up_to(std::span<const GpuTask> tasks, std::size_t i, std::int64_t levels) {
  Duration added{};  // (5)
  for (std::size_t l = i; l < tasks.size(); ++l) added = std::max(added, tasks[l].longest_block);
  const auto last = static_cast<std::int64_t>(tasks.size()) - levels - 1;
  Duration blocking{};  // (4)
  for (auto l = static_cast<std::int64_t>(i) + 1; l <= last; ++l)
    blocking = std::max(blocking, tasks[static_cast<std::size_t>(l) - 1].cost);
  std::vector<DemandTask> demands;
  for (const GpuTask& task : tasks.first(i)) {
    demands.push_back({in_ns(checked_add(task.cost, added)), task.deadline, task.period});
  }
  const Blocker blocker{in_ns(blocking), Blocker::no_deadline, 0};
  return test_demand(demands, {&blocker, 1}, SupplyBound::always());
}

void judge(const System& system, const GpuServer& server, ServerResults& results) {
  const std::vector<GpuTask> tasks = by_deadline(server.tasks);
  for (std::size_t i = 1; i <= tasks.size(); ++i) {
    const DemandAnswer answer = test_up_to(tasks, i, system.policy.levels);
    if (answer.holds()) continue;
    const std::string& name = system.tasks[tasks[i - 1].task].name;
    Witness witness;
    witness.detail = {{"server", server.name}, {"task", name}};
    if (answer.outcome == DemandAnswer::Outcome::gave_up) {
      witness.reason = server.name + ": " + answer.limit;
      results.fails(Verdict::gave_up, std::move(witness));
      return;
    }
    witness.reason = "the inequality of Lemma 1 fails for the tasks up to '" + name + "'";
    if (answer.outcome == DemandAnswer::Outcome::fails)
      witness.reason += " at t = " + to_text(answer.witness.interval);
    results.fails(Verdict::unproven, std::move(witness));
    return;
  }
  results.keep_deadlines(server);
}

}  // namespace

Result ms_edf_as_published(const System& system) {
  GpuServers found = published_servers(system, multi_stream_servers);
  if (!found.why_not.empty()) return does_not_apply(std::move(found.why_not));
  ServerResults results{system};
  for (const GpuServer& server : found.servers) judge(system, server, results);
  return std::move(results).finish("Lemma 1 holds as printed, which proves nothing");
}

Analysis ms_edf_as_published_analysis() {
  return {.id = "ms-edf-as-published",
          .title = "EDF over several streams, as published",
          .source = "PRUDA, Lemma 1, as printed",
          .strategy = "multi-stream",
          .needs =
              "multi-stream, order edf; periodic or sporadic tasks of one kernel or one exclusive segment, "
              "deadlines no longer than periods; no overheads, jitter or best-effort tasks",
          .kind = Kind::sufficient,
          .sound = false,
          .run = ms_edf_as_published};
}

}  // namespace tactus::analysis
