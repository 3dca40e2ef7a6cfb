#include "tactus/analysis/rtgpu.hpp"

#include "tactus/analysis/federated_judge.hpp"

namespace tactus::analysis {

Result rtgpu(const System& system) { return judge_federated(system, FederatedTest::rtgpu); }

Analysis rtgpu_analysis() {
  return {.id = "rtgpu",
          .title = "Chains over CPU, copies and SMs of their own",
          .source = "ours, after RTGPU, sections 5 and 6",
          .strategy = "federated",
          .needs = "federated; chains of periodic or sporadic tasks, deadlines no longer than periods",
          .kind = Kind::sufficient,
          .sound = true,
          .run = rtgpu};
}

}  // namespace tactus::analysis
