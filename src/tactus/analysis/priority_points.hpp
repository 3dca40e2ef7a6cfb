// Response times of work that m equal cores serve by priority points, and of work that c equal engines serve
// as it comes.
//
// Claim (cores). Jobs of source i come at least T_i apart, take C_i, and have their priority point Y_i after
// their release; an earlier point goes first. A job may be worked on before its release. Let u_i = C_i/T_i,
// U = sum u_i <= m, Y'_i = Y_i - min Y, S_i = C_i max(0, 1 - Y'_i/T_i), n = ceil(U) - 1. Then a job of source
// k is done within R_k of its release:
//   parallel     jobs of one source may run side by side:
//                  R_k = C_k + (U Y'_k + sum S + E - C_k)/m,  E = n Cmax; where nothing is preempted E = m
//                  Cmax
//   sequential   they run one after the other, all u_i <= 1: with the smallest s for which
//                  m s >= sum S + the n largest of max(0, u_i (s - C_i/m) + C_i - S_i),
//                  R_k = Y'_k + s - C_k/m + C_k
//
// Proof (parallel). Let p be the point of the job, released at r, and count only jobs with points up to p:
// others do not delay it. Let t be the last instant up to r at which at most n of them are pending. From t to
// r at least ceil(U) cores are busy with them. Pending at t is at most n Cmax; of source i, jobs released
// from t on with a point up to p number at most max(0, (q - t - Y'_i)/T_i + 1), where q = r + Y'_k, so their
// work is at most u_i (q - t) + S_i. Done from t to r is at least U (r - t), so at r at most E + sum S + U
// Y'_k is left, C_k of it the job's own. While the job does not run, m cores are busy with the rest. Work
// done before its release only lowers what is left. Where nothing is preempted, let t be the last instant up
// to r at which a core is idle or begins work with a later point: then no counted job waits, and all that
// runs at t is at most m jobs. After t the cores do nothing but these and counted jobs, so the same sum holds
// with m Cmax, and the job begins when less than that is left.
//
// Claim (engines). Requests of source i come at least T_i apart and take C_i; U <= c. They are served in the
// order in which they come. Then R_k = (sum C - C_k + (c - 1) Cmax)/c + C_k. Proof: as above, from the last
// instant at which an engine is idle; what comes later than the request waits behind it.
//
// Lateness. Work that comes up to J_i late at cores counts as released J_i later than it is, and may then be
// worked on before its release: give Y_i - J_i for Y_i and add J_i to R_i. At engines up to J_i/T_i requests
// more come in the same time: C_i J_i/T_i is added to sum C, and R_k counts from when the request comes.
//
// Source: parallel: Yang, Amert et al. (2018), proof ours; without preemption: ours. Sequential: Erickson,
// Anderson and Ward (2014), compliant vectors. Engines: Yang et al., lateness ours.
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
};

enum class JobsOfSource : std::uint8_t { parallel, parallel_without_preemption, sequential };

/// By source; nothing where no bound is known. Fractions are rounded up.
std::optional<std::vector<Duration>> responses_on_cores(std::span<const PointSource> sources,
                                                        std::int64_t cores, JobsOfSource jobs);

struct RequestSource {
  Duration work{};
  Duration period{};
  Duration late{};  // J; not part of the answer
};

std::optional<std::vector<Duration>> responses_at_engines(std::span<const RequestSource> sources,
                                                          std::int64_t engines);

}  // namespace tactus::analysis
