// Shared by the strategies that share all SMs, or cores of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tactus/model/system.hpp"
#include "tactus/sched/capabilities.hpp"

namespace tactus::sched {

/// A segment and its server: the copy engines or SMs.
struct GpuCall {
  std::uint32_t segment = 0;
  ServerKind server = ServerKind::gpu;
};

/// The segments of a job in the order of submission: topological, ties in file order.
std::vector<GpuCall> call_order(const Task& task);

/// Whether the task is not best-effort and each of its jobs is one segment of this kind.
template <class Kind>
bool is_one_segment(const Task& task) {
  return task.arrival != Arrival::best_effort && task.work.nodes.size() == 1 &&
         std::holds_alternative<Kind>(task.work.nodes.front().segment);
}

/// One refusal for all `gpu` segments: these need virtual SMs.
std::vector<std::string> refuse_virtual_sms(const System& system);

/// The same and one for all `cpu` segments: for a strategy that is handed whole jobs of GPU work alone.
std::vector<std::string> refuse_other_than_gpu_work(const System& system, std::string_view strategy);

/// One refusal for each task that is preemptible anywhere, if the engine cannot stop a kernel.
std::vector<std::string> refuse_ideal_preemption(const System& system, const Capabilities& capabilities);

}  // namespace tactus::sched
