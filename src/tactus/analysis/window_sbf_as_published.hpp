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
#pragma once

#include <cstdint>

#include "tactus/analysis/analysis.hpp"

namespace tactus::analysis {

inline constexpr std::int64_t max_printed_lengths = 100'000;

Result window_sbf_as_published(const System& system);

Analysis window_sbf_as_published_analysis();

}  // namespace tactus::analysis
