// ms-edf-as-published: EDF over several streams, as printed. UNSOUND.
//
// Claim as printed: with n tasks in order of deadlines and PL levels, for every i and every t up to the
// hyperperiod,
//   sum over j <= i of floor((C_j - D_j + T_j)/T_j) (C + PCo(j))  +  B_i  <=  t
//   B_i    = max{ C_l : i + 1 <= l <= n - PL - 1 }                                              (4)
//   PCo(j) = max{ PC_l : i + 1 <= l <= n }                                                      (5)
//
// Source: the PRUDA paper, Lemma 1.
//
// Our reading: the left side has no t; C_j stands where t must be meant, so the floor is the number of jobs
// of j that must be done within t (0 below D_j), and C is C_j. The blocking range of (4) and the index i in
// (5) are kept as printed. So for every i the tasks up to i, each with PCo of i added, are held against t.
//
// Model: multi-stream with either refill, order edf; periodic or sporadic tasks of one kernel or one
// exclusive segment, D <= T; no overheads, jitter or best-effort tasks.
//
// Kind: claimed to be sufficient.
//
// Soundness: unsound. PL = 2, (C, D, T, PC) = {(1, 4, 20, 1), (6, 14, 20, 1), (4, 20, 20, 1)} is accepted:
// with three tasks the range of (4) is empty. Releases at 0 (third), 1 (second) and 2 (first): the first
// waits until 7, its deadline is 6. {(1, 3, 30, 1), (5, 20, 30, 1), (2, 30, 30, 2)} breaks it, too, and
// {(1, 4, 5, 1), (6, 10, 12, 3)} if preempting costs PC of real time. The sound form is ms-edf.
#include "tactus/analysis/analyses.hpp"

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
  return judge_servers(
      system, published_servers(system, multi_stream_servers),
      "Lemma 1 holds as printed, which proves nothing",
      [&](const GpuServer& server, ServerResults& results) { judge(system, server, results); });
}

}  // namespace tactus::analysis
