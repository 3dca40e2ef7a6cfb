// np-edf: non-preemptive EDF in one stream.
//
// Claim: if the tasks need no more than all of the time, and in every interval of length t the jobs that have
// release and deadline inside, and one job that started just before and has its deadline behind, fit:
//   sum of n_j(t) C_j + max{C_l : D_l > t} <= t,   n_j(t) = floor((t - (D_j - J_j))/T_j) + 1,
// then every deadline is met.
//
// Source: PRUDA, Theorem 1, corrected; the test is that of Jeffay, Stanat and Martel (1991) and of George,
// Rivierre and Spuri (1996). As printed the left side has no t. Read at t = D_i alone it accepts
// {(2,3,3), (3,19,20)}, which misses when the second task starts an instant before the first is released.
//
// Model: single-stream, order edf; periodic or sporadic tasks with D <= T; chains of copies, kernels and
// exclusive work. A best-effort task is a blocker without a deadline.
//
// Kind: exact for sporadic tasks that are seen at their release; sufficient otherwise.
//
// Soundness: sound. Let a job miss its deadline d, and let s be the last instant before d at which no job
// with a deadline up to d waits or runs. From s to d only such jobs start, so at most one job with a later
// deadline is in the way, and it started before s: its D is greater than d - s. A job seen from s on was
// released no earlier than s - J_j, which is what D_j - J_j counts.
#pragma once

#include "tactus/analysis/analysis.hpp"

namespace tactus::analysis {

Result np_edf(const System& system);

Analysis np_edf_analysis();

}  // namespace tactus::analysis
