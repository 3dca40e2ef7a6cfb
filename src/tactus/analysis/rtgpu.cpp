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
// to one; the copy engine is not preemptive, but may serve a copy in chunks (`copy_chunk`). Best-effort
// tasks: their copies block. The engine that submits may need time (federated_engine.hpp); then copies are
// whole, and bounds that presume other tasks in time are given only if all are.
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
#include "tactus/analysis/as_published.hpp"
#include "tactus/analysis/federated_judge.hpp"

namespace tactus::analysis {

Result rtgpu(const System& system) { return judge_federated(system, FederatedTest::rtgpu, system); }

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
Result rtgpu_paper(const System& system) {
  return judge_federated(system, FederatedTest::rtgpu_paper, system);
}

namespace {

/// Every SM as if it were twice as many virtual ones.
System with_doubled_virtual_sms(System system) {
  system.platform.gpu.virtual_sms_per_sm *= 2;
  for (std::optional<std::int64_t>& sms : system.virtual_sms) {
    if (sms) sms = checked_mul(*sms, 2);
  }
  return system;
}

}  // namespace

// rtgpu-as-published: fixed-priority chains over CPU, copies and GPU, as Algorithm 2 prints it. UNSOUND.
//
// Claim as printed: rtgpu-paper with 2v in place of v virtual SMs in the time of GPU work,
//   GR = [floor(GWlo/2v), ceil((GWhi alpha - GL)/2v) + GL].
//
// Source: RTGPU (Zou, Li, Gill, Zhang), Algorithm 2, as printed.
//
// Our reading: the v of the paper already counts virtual SMs, so the 2 counts them twice. Kernels given by
// their blocks keep their times: the paper does not know them.
//
// Model: federated; chains of periodic or sporadic tasks, D <= T; no overheads, jitter or best-effort tasks.
//
// Kind: claimed to be sufficient.
//
// Soundness: unsound. One task, CPU 1 and 1, copies 1 and 1, GW 4, alpha 1 on one virtual SM: it says 6, a
// job takes 8. The sound form is rtgpu-paper.
Result rtgpu_as_published(const System& system) {
  if (std::string obstacle = beyond_the_papers(system); !obstacle.empty()) return does_not_apply(obstacle);
  if (system.platform.gpu.copy_chunk) {
    return does_not_apply("the paper knows no copies in pieces: platform.gpu.copy_chunk is given");
  }
  Result result = judge_federated(system, FederatedTest::rtgpu_paper, with_doubled_virtual_sms(system));
  if (result.verdict == Verdict::schedulable) {
    result.reason = "Algorithm 2 holds as printed, which proves nothing";
  }
  return result;
}

}  // namespace tactus::analysis
