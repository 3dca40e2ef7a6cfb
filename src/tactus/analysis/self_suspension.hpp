// self-suspension: copies and GPU work are requests to one device that all tasks share.
//
// Claim: R_k + J_k bounds the response time of task k, where R_k is the lesser of R1 and R2:
//   B    = longest request of a less urgent task
//   MR_j = least r with r = X_j + B + sum over more urgent i of Wmax_i(r) of their requests (X_j: request j)
//   CR_j = least r with r = CL_j + sum over more urgent i of the core of Wmax_i(r) of their CPU time
//   R1   = sum MR + sum CR
//   R2   = least r with r = sum MR + sum CL + sum over more urgent i of the core of Wmax_i(r) of their
//          CPU time
// as long as R_k + J_k <= D_k. Wmax is that of chain_workload.hpp with X = D. A failure leaves nothing proven
// for less urgent tasks. Without `virtual_sms` it takes the first split of the SMs that holds.
//
// Source: the self-suspension baseline of the RTGPU paper, in our own form.
//
// Run-time model (not that of `federated`): CPU cores with preemptive fixed priorities. A request, a run of
// copies and GPU work between CPU stages, cannot be interrupted and has the device to itself, though it only
// uses the SMs of its task. The most urgent waiting request is next. A waiting job is suspended. Periodic or
// sporadic chains, D <= T; a best-effort task is less urgent than all others; without SMs given it has one.
//
// Kind: sufficient.
//
// Soundness: sound in its run-time model; never part of a verdict. A request of k waits for at most one of
// a less urgent task, which was there before, and for more urgent ones. As long as it is not done, the device
// works all the time; so it is done after MR_j. CPU stages likewise. Wmax needs more urgent tasks to keep
// their deadlines, which was proven before, and nothing of less urgent ones. Several cores share the device
// alone, and its terms count the tasks of all cores.
//
// Search: B_k falls with the SMs of less urgent tasks, R_k falls with B_k and with its own SMs, and can rise
// with those of more urgent tasks. So a prefix of a split is abandoned when a task in it, or the next task
// with the most SMs it can get, fails although each less urgent task gets the most it can.
#pragma once

#include "tactus/analysis/analysis.hpp"

namespace tactus::analysis {

Result self_suspension(const System& system);

Analysis self_suspension_analysis();

}  // namespace tactus::analysis
