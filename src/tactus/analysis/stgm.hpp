// stgm: every job waits for the GPU by spinning on the CPU.
//
// Claim: R_k + J_k bounds the response time of task k, where
//   R_k  = least R with R = C'_k + B_k + sum over more urgent i of ceil((R + J_i)/T_i) C'_i
//   C'   = all of a job: CPU + copies + GPU work on its SMs
//   B_k  = sum over less urgent tasks of the most copying within one run of copies and GPU work;
//          0 if neither k nor a more urgent task copies
// as long as R_k + J_k <= D_k. Without `virtual_sms` it takes the first split of the SMs that holds.
//
// Source: the baseline STGM (spatio-temporal GPU management) of the RTGPU paper, in our own form.
//
// Run-time model (not that of `federated`): one CPU core with preemptive fixed priorities. A job hands a run
// of copies and GPU work to the machine while it holds the CPU, and then keeps the CPU, spinning, until the
// run is over; a more urgent job may preempt it while its run goes on. This holds behind a CPU segment of no
// length, too. One copy engine, not preemptive, most urgent first; GPU work has SMs of its own. Periodic or
// sporadic chains, D <= T; a best-effort task is less urgent than all others.
//
// Kind: sufficient.
//
// Soundness: sound in its run-time model; never part of a verdict. Take a time in which jobs of k or more
// urgent ones are always there. One of them holds the CPU at every instant, and one of three things happens:
// it goes on itself (its CPU code, its copy, its GPU work); or it waits for the copy engine, which does a
// copy of another such job; or the engine does a copy of a less urgent task. Each instant is charged to one
// piece of work, and no piece is charged more than its length, so the first two are covered by the C' of the
// jobs involved. A less urgent task cannot get the CPU, so all it copies belongs to the one run that was
// under way: that is B_k. Hence the busy time ends after R_k, and it holds one job of k. With several cores
// less urgent tasks go on copying, and more urgent ones copy without taking this CPU, so it does not apply.
//
// Search: R_k falls with its own SMs and with those of more urgent tasks, and does not depend on the others.
// So a prefix that fails although every remaining task gets the most it can, fails for all completions.
#pragma once

#include "tactus/analysis/analysis.hpp"

namespace tactus::analysis {

Result stgm(const System& system);

Analysis stgm_analysis();

}  // namespace tactus::analysis
