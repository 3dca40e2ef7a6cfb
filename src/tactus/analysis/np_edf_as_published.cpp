// np-edf-as-published: non-preemptive EDF in one stream, as printed. UNSOUND.
//
// Claim as printed: with tasks in order of deadlines, for every i and every t up to the hyperperiod,
//   sum over j <= i of floor((C_i - D_j + T_i)/T_j) C_j  +  max{ C_l : l > i }  <=  t.
//
// Source: the PRUDA paper, Theorem 1, inequality (3), which cites Jeffay et al. (1991).
//
// Our reading: the left side has no t, so "every t" cannot be meant: nothing would hold for small t. The
// right side is read at t = D_i.
//
// Model: single-stream, order edf; periodic or sporadic tasks, D <= T; no overheads, jitter or best-effort
// tasks.
//
// Kind: claimed to be sufficient.
//
// Soundness: unsound. {(2, 3, 3), (3, 19, 20)} is accepted: 0 + 3 <= 3 and 12 + 0 <= 19. If task 2 starts
// just before task 1 is released, task 1 ends after 5; its deadline is 3. The sound form is np-edf.
#include "tactus/analysis/analyses.hpp"

#include <algorithm>

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
  return judge_servers(system, published_servers(system, single_stream_servers),
                       "inequality (3) holds as printed, which proves nothing",
                       [&](const GpuServer& server, ServerResults& results) {
                         const std::vector<GpuTask> tasks = by_deadline(server.tasks);
                         std::size_t i = 0;
                         while (i < tasks.size() && left_side(tasks, i) <= in_ns(tasks[i].deadline)) ++i;
                         if (i == tasks.size()) return results.keep_deadlines(server);
                         const std::string& name = system.tasks[tasks[i].task].name;
                         results.fails(Verdict::unproven,
                                       {"inequality (3) fails for '" + name + "' at its deadline " +
                                            to_text(tasks[i].deadline),
                                        {{"server", server.name}, {"task", name}}});
                       });
}

}  // namespace tactus::analysis
