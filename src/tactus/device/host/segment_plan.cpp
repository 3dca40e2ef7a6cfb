#include "tactus/device/host/segment_plan.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <variant>

namespace tactus::device::host {

namespace {

/// A function is opaque: it occupies its SMs until it returns.
void bind_function(const Binding& binding, SegmentPlan& plan) {
  plan.function = &binding.work;
  if (plan.server != ServerKind::gpu) return;
  plan.call.kind = OperationKind::exclusive;
  plan.call.blocks = 1;
  plan.slice.reset();
  plan.preemptible_anywhere = false;
}

/// Binds a segment; returns the problem, or nothing.
std::string bind(const Binding& binding, SegmentPlan& plan) {
  if (binding.kind == Binding::Kind::calls) return "GPU work on a stream needs a CUDA device";
  if (binding.is_empty()) return "the bound function is empty";
  if (binding.kind == Binding::Kind::copy) {
    if (plan.server != ServerKind::copy) return "only a `copy` segment moves bytes";
    plan.copy = &binding.copy;
    return {};
  }
  if (binding.kind == Binding::Kind::function) {
    bind_function(binding, plan);
    return {};
  }
  if (plan.call.kind != OperationKind::kernel || plan.server != ServerKind::gpu) {
    return "only a `kernel` segment has blocks to be called one by one";
  }
  plan.block = &binding.work;
  return {};
}

}  // namespace

SegmentPlans make_segment_plans(const System& system, const Bindings* bindings) {
  const auto complete = [&](SegmentPlan& plan, TaskIndex task, const Node& node, const Binding* binding) {
    plan.grid = plan.call.blocks;
    std::string problem = binding == nullptr ? std::string{} : bind(*binding, plan);
    const bool needs_virtual_sms = std::holds_alternative<GpuSegment>(node.segment) && !plan.is_bound();
    if (!problem.empty() || !needs_virtual_sms || virtual_sms_of(system, task, node) > 0) return problem;
    return std::string{"a `gpu` segment needs virtual SMs"};
  };
  return bind_segments<SegmentPlan>(system, bindings, complete);
}

std::int64_t max_bound_blocks_per_sm(const SegmentPlans& plans, const Gpu& gpu) {
  // Blocks of different kernels may share an SM. The least demand for each resource gives an upper bound on
  // their number.
  std::optional<BlockDemand> least;
  for_each_plan(plans, [&](const SegmentPlan& plan) {
    if (plan.block == nullptr) return;
    const BlockDemand& demand = plan.call.demand;
    if (!least) least = demand;
    least->threads = std::min(least->threads, demand.threads);
    least->shared_memory = std::min(least->shared_memory, demand.shared_memory);
    least->registers = std::min(least->registers, demand.registers);
  });
  return least ? blocks_per_sm(*least, gpu) : 0;
}

}  // namespace tactus::device::host
