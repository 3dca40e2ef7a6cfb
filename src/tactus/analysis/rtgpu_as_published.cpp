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
#include "tactus/analysis/analyses.hpp"

#include "tactus/analysis/as_published.hpp"
#include "tactus/analysis/federated_judge.hpp"

namespace tactus::analysis {

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
