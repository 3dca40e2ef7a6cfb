#include "tactus/device/host/segment_plan.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "tactus/base/error.hpp"

namespace tactus::device::host {

namespace {

SegmentPlan plan_of(const SegmentFacts& facts, const Segment& segment) {
  SegmentPlan plan;
  static_cast<SegmentFacts&>(plan) = facts;
  plan.grid = facts.call.blocks;
  if (const auto* copy = std::get_if<CopySegment>(&segment)) plan.bytes = copy->bytes;
  return plan;
}

/// A function is opaque: it occupies its SMs until it returns.
void bind_function(const Binding& binding, SegmentPlan& plan) {
  plan.function = &binding.work;
  plan.pieces = {};  // nor are its copies cut into chunks
  if (plan.server != ServerKind::gpu) return;
  plan.call.kind = OperationKind::exclusive;
  plan.call.blocks = 1;
  plan.slice.reset();
  plan.preemptible_anywhere = false;
}

/// Binds a segment; returns the problem, or nothing.
std::string bind(const Binding& binding, SegmentPlan& plan) {
  if (binding.kind == Binding::Kind::built_in) return {};
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

Problem problem_of(const Task& task, std::size_t segment, const std::string& what) {
  const std::string where = "task '" + task.name + "', segment " + std::to_string(segment) + ": ";
  return {.file = {},
          .line = 0,
          .column = 0,
          .message = where + what,
          .hint = {},
          .id = ProblemId::not_supported};
}

const Binding* find_binding(const Bindings* bindings, std::size_t task, std::size_t segment) {
  if (bindings == nullptr || task >= bindings->size() || segment >= (*bindings)[task].size()) return nullptr;
  return &(*bindings)[task][segment];
}

}  // namespace

SegmentPlans make_segment_plans(const System& system, const Bindings* bindings) {
  SegmentPlans plans;
  std::vector<Problem> problems;
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    const bool has_virtual_sms = i < system.virtual_sms.size() && system.virtual_sms[i].value_or(0) > 0;
    const std::vector<SegmentFacts> facts = make_segment_facts(system, static_cast<TaskIndex>(i));
    std::vector<SegmentPlan>& of_task = plans.emplace_back();
    for (std::size_t segment = 0; segment < facts.size(); ++segment) {
      SegmentPlan plan = plan_of(facts[segment], task.work.nodes[segment].segment);
      const Binding* binding = find_binding(bindings, i, segment);
      std::string problem = binding == nullptr ? std::string{} : bind(*binding, plan);
      const bool is_gpu = std::holds_alternative<GpuSegment>(task.work.nodes[segment].segment);
      if (problem.empty() && !plan.is_bound() && is_gpu && !has_virtual_sms) {
        problem = "a `gpu` segment needs virtual SMs";
      }
      if (!problem.empty()) problems.push_back(problem_of(task, segment, problem));
      of_task.push_back(plan);
    }
  }
  if (!problems.empty()) throw InputError{std::move(problems)};
  return plans;
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
