// rtgpu-paper: fixed-priority chains over CPU, copies and GPU, the paper's bound made sound.
//
// Claim: R_k + J_k bounds the response time of task k, where R_k is the lesser of R1 and R2
// (federated_response.hpp), as long as it stays within D_k; the work of a more urgent task i in an interval
// is Wmax (chain_workload.hpp) with X = D_i, and a copy has MR_j = least r = MLhi_j + B + sum MWmax(r).
//
// Source: RTGPU (Zou, Li, Gill, Zhang), sections 5 and 6, corrected: the time of GPU work on v virtual SMs is
// that of v, not of 2v (rtgpu-as-published); copies that take no time are not issued.
//
// Model: federated; chains of periodic or sporadic tasks, D <= T, as for rtgpu.
//
// Kind: sufficient, never better than rtgpu.
//
// Soundness: sound, by the argument of federated_response.hpp: every more urgent task has been shown to keep
// its deadline, so X = D_i is one of its bounds.
//
// Where the system does not give the SMs, the first division in lexicographic order is searched
// (rtgpu_allocation.hpp).
#include "tactus/analysis/analyses.hpp"

#include "tactus/analysis/federated_judge.hpp"

namespace tactus::analysis {

Result rtgpu_paper(const System& system) { return judge_federated(system, FederatedTest::rtgpu_paper); }

}  // namespace tactus::analysis
