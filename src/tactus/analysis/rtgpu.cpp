// rtgpu: fixed-priority chains over CPU, copies and GPU, with SMs of their own.
//
// Claim: R_k + J_k bounds the response time of task k, where R_k is the least of R1 to R4
// (federated_response.hpp), as long as it stays within D_k; the work of a more urgent task i in an interval
// is Wmax (chain_workload.hpp) with X = its own proven R_i + J_i.
//
// Source: ours, after RTGPU (Zou, Li, Gill, Zhang), sections 5 and 6. Against the paper: the carry-in ends
// with the proven response instead of the deadline; a copy that has started waits no more; waiting for
// copies may be counted over the whole response, too.
//
// Model: federated; chains of periodic or sporadic tasks, D <= T. CPU cores are preemptive, tasks are fixed
// to one; the copy engine is not preemptive, but may serve a copy in pieces (`copy_chunk`). Best-effort
// tasks: their copies block.
//
// Kind: sufficient. Where all tasks have CPU work alone these are the textbook's response times.
//
// Soundness: sound; the argument is in federated_response.hpp and chain_workload.hpp. Tasks are taken from
// the most urgent on, and the first that fails ends the test: X needs every more urgent task to keep its
// bound.
//
// Where the system does not give the SMs, the first division in lexicographic order is searched
// (rtgpu_allocation.hpp).
#include "tactus/analysis/analyses.hpp"

#include "tactus/analysis/federated_judge.hpp"

namespace tactus::analysis {

Result rtgpu(const System& system) { return judge_federated(system, FederatedTest::rtgpu); }

}  // namespace tactus::analysis
