#include "tactus/analysis/rtgpu_paper.hpp"

#include "tactus/analysis/federated_judge.hpp"

namespace tactus::analysis {

Result rtgpu_paper(const System& system) { return judge_federated(system, FederatedTest::rtgpu_paper); }

Analysis rtgpu_paper_analysis() {
  return {.id = "rtgpu-paper",
          .title = "Chains over CPU, copies and SMs of their own, the paper's bound",
          .source = "RTGPU, sections 5 and 6, corrected",
          .strategy = "federated",
          .needs = "federated; chains of periodic or sporadic tasks, deadlines no longer than periods",
          .kind = Kind::sufficient,
          .sound = true,
          .run = rtgpu_paper};
}

}  // namespace tactus::analysis
