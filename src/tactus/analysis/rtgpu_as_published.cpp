#include "tactus/analysis/rtgpu_as_published.hpp"

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

Analysis rtgpu_as_published_analysis() {
  return {
      .id = "rtgpu-as-published",
      .title = "Chains over CPU, copies and SMs of their own, as published",
      .source = "RTGPU, Algorithm 2, as printed",
      .strategy = "federated",
      .needs =
          "federated; chains of periodic or sporadic tasks, deadlines no longer than periods; no overheads, "
          "jitter, best-effort tasks or copies in pieces",
      .kind = Kind::sufficient,
      .sound = false,
      .run = rtgpu_as_published};
}

}  // namespace tactus::analysis
