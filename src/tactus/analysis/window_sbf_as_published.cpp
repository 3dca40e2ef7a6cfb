// window-sbf-as-published: EDF inside windows by demand and supply, as printed. UNSOUND.
//
// Claim as printed: for every t up to the hyperperiod,
//   sum over j of floor((t - D_j - T_j)/T_j) C_j  <=  sbf(t)                                    (7), (8)
//   sbf(t) = t - (k + 1)(P - Q) if t > k P + (P - Q), else k Q;  k = floor(t/P)                 (9)
//
// Source: the PRUDA paper, Theorem 3 with equations (7) to (9), which cites Shin and Lee (2003).
//
// Our reading: a sign is wrong in (8), t - D_j - T_j for t - D_j + T_j, so two jobs of every task are
// missing. It is kept; demand below 0 counts as 0. In addition sum C/T <= Q/P, which the theorem takes for
// granted. Equation (9) is right.
//
// Model: sm-cores, order edf; periodic or sporadic tasks, D <= T, that can be preempted anywhere; no
// overheads, jitter or best-effort tasks.
//
// Kind: claimed to be sufficient. More than `max_printed_lengths` interval lengths give up.
//
// Soundness: unsound. (1, 1, 3) in R(1, 2, 5) is accepted; the job released at 0 must be done at 1, when the
// window opens. The sound form is window-sbf.
#include "tactus/analysis/analyses.hpp"

#include <algorithm>

#include "tactus/analysis/as_published.hpp"
#include "tactus/analysis/window_demand.hpp"
#include "tactus/base/text.hpp"

namespace tactus::analysis {

namespace {

constexpr std::int64_t max_printed_lengths = 100'000;

/// (8) for one interval length, without demand below 0.
Int128 printed_demand(const GpuServer& server, std::int64_t length) {
  Int128 demand = 0;
  for (const GpuTask& task : server.tasks) {
    const std::int64_t jobs = (length - in_ns(task.deadline)) / in_ns(task.period) - 1;
    if (length >= in_ns(task.deadline) && jobs > 0) demand += static_cast<Int128>(jobs) * in_ns(task.cost);
  }
  return demand;
}

/// The last length below `length` at which a printed demand grows; 0 when there is none.
std::int64_t last_step_before(const GpuServer& server, std::int64_t length) {
  std::int64_t last = 0;
  for (const GpuTask& task : server.tasks) {
    const std::int64_t since = length - 1 - in_ns(task.deadline);
    if (since >= 0)
      last = std::max(last, in_ns(task.deadline) + since / in_ns(task.period) * in_ns(task.period));
  }
  return last;
}

std::optional<std::int64_t> hyperperiod_of(const GpuServer& server) {
  std::optional<std::int64_t> hyperperiod = 1;
  for (const GpuTask& task : server.tasks) {
    if (hyperperiod) hyperperiod = checked_lcm(*hyperperiod, in_ns(task.period));
  }
  return hyperperiod;
}

/// Backwards from the hyperperiod: if the demand of a length is covered by what a shorter one has, all
/// lengths in between hold, too.
void judge(const GpuServer& server, ServerResults& results) {
  const SupplyBound supply = windows_of(server);
  const std::int64_t end = std::min(hyperperiod_of(server).value_or(in_ns(never)), in_ns(never) - 1);
  std::int64_t length = last_step_before(server, end + 1);
  for (std::int64_t looked_at = 0; looked_at < max_printed_lengths; ++looked_at) {
    const Int128 demand = printed_demand(server, length);
    if (demand == 0) return results.keep_deadlines(server);
    const Int128 covered = supply.time_for(demand);
    if (covered > length) {
      return results.fails(Verdict::unproven,
                           {"the printed demand of " + server.name +
                                " exceeds the supply of an interval of " + to_text(Duration{length}),
                            {{"server", server.name}, {"interval_ns", Duration{length}}}});
    }
    length = last_step_before(server, static_cast<std::int64_t>(covered));
  }
  results.gives_up(server, "more than " + with_thousands(static_cast<std::uint64_t>(max_printed_lengths)) +
                               " interval lengths");
}

}  // namespace

Result window_sbf_as_published(const System& system) {
  return judge_servers(system, published_window_servers(system),
                       "equations (7) and (8) hold as printed, which proves nothing",
                       [](const GpuServer& server, ServerResults& results) {
                         if (is_overloaded(server)) {
                           results.fails(Verdict::unproven, overload_witness(server));
                         } else {
                           judge(server, results);
                         }
                       });
}

}  // namespace tactus::analysis
