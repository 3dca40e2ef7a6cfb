// Response times of work that m equal cores serve by priority points, and of work that c equal engines serve
// as it comes.
//
// Claim (cores). Jobs of source i come at least T_i apart, take C_i, and have their priority point Y_i after
// their release; an earlier point goes first. A job may be worked on before its release. Jobs of a source may
// run side by side (parallel), or run in turn: each begins when the one before is done; then C_i <= T_i. Let
// u_i = C_i/T_i, U = sum u_i <= m, Y'_i = Y_i - min Y, S_i = C_i max(0, 1 - Y'_i/T_i), n = ceil(U) - 1, or
// n = m where nothing is preempted. With the smallest s for which
//   m s >= sum S + E(s), a job of source k is done within R_k(s) of its release:
//   parallel   R_k(s) = C_k + (U Y'_k - C_k)/m + s
//   in turn    R_k(s) = C_k + Y'_k - C_k/m + s
// E(s) is the largest sum of n terms out of these, where
// K_i = C_i + sum over l >= 1 of max(0, C_i - l T_i) + u_i (R_i(s) - C_i - Y'_i) - S_i:
//   parallel   min(C_i, K_i), min(C_i, K_i - C_i), ..., as long as they are positive
//   in turn    max(0, K_i), once
// and where nothing is preempted: C_i as often as needed, and max(C_i, K_i), once.
//
// Proof. By induction over the jobs in the order of their points. Let p be the point of the job, released at
// r, and count only jobs with points up to p: others do not delay it where cores preempt. All of them are
// released by q = r + Y'_k. For an instant x from r to q, let t be the last one up to x at which at most n
// cores are busy with counted jobs. From t to x at least ceil(U) are, so at least U (x - t) is done. At t no
// counted job waits for a core, so at most n run, and what else is pending waits for a job of its own source,
// in turn, that runs. Of source i, the jobs with a point up to p that are released from t on number at most
// max(0, (q - t - Y'_i)/T_i + 1), so their work is at most u_i (q - t) + S_i. If jobs of it are pending at t:
// - Parallel: a of them run and none waits, so they have at most a C_i left.
// - By induction they are released after t - R_i. Let the last one up to t be released X after that. The l-th
//   before it has at most min(C_i, max(0, X - l T_i)) left, and behind it at most (q - Y'_i - t + R_i -
//   X)/T_i jobs follow, the first after t. The sum of both is at most what it is for some X >= R_i - T_i >=
//   C_i - T_i; from there on it repeats with T_i and is largest for X = C_i: u_i (q - t) + S_i + K_i.
// - In turn: the oldest runs. If it has e left, it is released at t + e - R_i or later, and the work is at
// most
//   e + u_i (q - Y'_i - t - e + R_i): largest for e = C_i, and the same.
// So at x at most E(s) + sum S + U (q - x) is left of the counted jobs, C_k of it the job's own. Parallel:
// take x = r. While the job does not run, m cores are busy with the rest. In turn: take x = q. Nothing is
// released after it, so as soon as a core is not busy with counted jobs, all of them run whose turn it is,
// from then on. If that is the job's turn, it began when m s - C_k was done at the latest, and is done R_k
// after r. Otherwise it begins with the end of the one before, which is at most R_k - T_k after r by
// induction, and C_k <= T_k.
//
// Where nothing is preempted, let t be the last instant up to x at which a core is idle or begins work with a
// later point. Then no counted job waits for a core, and at most m jobs run, counted or not: those that are
// not counted have at most C_i left, and in turn no counted job of their source is left. After t the cores do
// nothing but these and counted jobs.
//
// Where cores preempt, a source whose job j waits for the end of job j - d is d sources in turn, of d times
// the period: they share no job, and their releases are at least that far apart. If its jobs begin in their
// order, job j + 1 may have to wait for j - d, too, although it is its turn: then let job j + 1 - d count as
// running until j - d ends, which it does within C, since j - d has been running for as long. Where nothing
// is preempted no bound is known for d > 1: jobs that only count as running come on top of m that run, and
// when j - d ends several jobs may be ready for the one core that is free.
//
// Claim (engines). Requests of source i come at least T_i apart and take C_i; U <= c. They are served in the
// order in which they come. Then R_k = (sum C - C_k + (c - 1) Cmax)/c + C_k. Proof: as above, from the last
// instant at which an engine is idle; what comes later than the request waits behind it.
//
// Lateness. Work that comes up to J_i late at cores counts as released J_i later than it is, and may then be
// worked on before its release: give Y_i - J_i for Y_i and add J_i to R_i. At engines up to J_i/T_i requests
// more come in the same time: C_i J_i/T_i is added to sum C, and R_k counts from when the request comes.
//
// Where cores or engines are idle for up to `lost` each with work at hand, in any interval, that much is
// added to what there is to do.
//
// Source: parallel: Yang, Amert et al. (2018), who have n Cmax for E; in turn: Erickson, Anderson and Ward
// (2014), compliant vectors. Both in one system, K for parallel jobs, and no preemption: ours. Engines: Yang
// et al., lateness ours.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tactus/base/time.hpp"

namespace tactus::analysis {

struct PointSource {
  Duration work{};    // C
  Duration period{};  // T
  Duration point{};   // Y
  bool in_turn = false;
};

/// By source; nothing where no bound is known. Fractions are rounded up.
std::optional<std::vector<Duration>> responses_on_cores(std::span<const PointSource> sources,
                                                        std::int64_t cores, bool is_preemptive,
                                                        Duration lost = {});

struct RequestSource {
  Duration work{};
  Duration period{};
  Duration late{};  // J; not part of the answer
};

std::optional<std::vector<Duration>> responses_at_engines(std::span<const RequestSource> sources,
                                                          std::int64_t engines, Duration lost = {});

}  // namespace tactus::analysis
