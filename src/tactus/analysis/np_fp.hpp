// np-fp: fixed priorities without preemption in one stream.
//
// Claim: with B_i the longest job of a less urgent task, the response time of task i is
//   R_i = max over jobs k of the busy period: w_k - k T_i + C_i + J_i
//   w_k = least w with w = B_i + k C_i + sum over more urgent j of (floor((w + J_j)/T_j) + 1) C_j
// and the busy period has ceil((L + J_i)/T_i) jobs of task i, where
//   L = least L > 0 with L = B_i + sum over more urgent j and i itself of ceil((L + J_j)/T_j) C_j.
//
// Source: PRUDA, section 5.1, with the analysis of George, Rivierre and Spuri (1996). Looking at the first
// job only is unsound: jobs that are held up by the first job of i delay the next one, as in
// {(4,10,10), (4,13,14), (4,13,14)}.
//
// Model: single-stream, order fp; periodic or sporadic tasks with D <= T; chains of copies, kernels and
// exclusive work. A best-effort task is less urgent than all others.
//
// Kind: sufficient. (Tight in continuous time for sporadic tasks; it is not used to refute.)
//
// Soundness: sound. With H the least common multiple of the periods of i and of more urgent tasks, and a
// utilisation of at most 1, w_{k + H/T_i} <= w_k + H: so H/T_i jobs are always enough, also where the busy
// period does not end.
#pragma once

#include "tactus/analysis/analysis.hpp"

namespace tactus::analysis {

Result np_fp(const System& system);

Analysis np_fp_analysis();

}  // namespace tactus::analysis
