#include "tactus/device/segment_facts.hpp"

#include <variant>

namespace tactus::device {

namespace {

struct FillFacts {
  const System& system;
  TaskIndex task = 0;
  const Node& node;
  SegmentFacts& facts;

  void operator()(const CpuSegment& cpu) const {
    facts.server = ServerKind::cpu;
    facts.time = cpu.time;
  }
  void operator()(const CopySegment& copy) const {
    facts.server = ServerKind::copy;
    facts.call.kind = OperationKind::copy;
    facts.time = copy.time;
    facts.bytes = copy.bytes;
  }
  void operator()(const KernelSegment& kernel) const {
    const Gpu& gpu = system.platform.gpu;
    facts.call.blocks = kernel.blocks();
    facts.call.demand = block_demand(kernel, gpu);
    facts.time = kernel.block_time;
    facts.starts_at_once = gpu.sm_choice != SmChoice::round_robin &&
                           facts.call.blocks <= blocks_per_sm(facts.call.demand, gpu) * gpu.sms;
  }
  /// The task owns the SMs, so only the time matters.
  void operator()(const GpuSegment& work) const {
    facts.call.kind = OperationKind::exclusive;
    const std::int64_t virtual_sms = virtual_sms_of(system, task, node);
    if (virtual_sms > 0) facts.time = gpu_time(work, virtual_sms);
  }
  void operator()(const ExclusiveSegment& exclusive) const {
    facts.call.kind = OperationKind::exclusive;
    facts.time = exclusive.time;
    facts.slice = system.tasks[task].longest_block;
    facts.preemptible_anywhere = facts.slice == Duration{};
    facts.starts_at_once = !facts.preemptible_anywhere;
  }
};

}  // namespace

std::vector<std::vector<SegmentFacts>> make_segment_facts(const System& system) {
  std::vector<std::vector<SegmentFacts>> all(system.tasks.size());
  for (TaskIndex task = 0; task < all.size(); ++task) {
    for (const Node& node : system.tasks[task].work.nodes) {
      std::visit(FillFacts{system, task, node, all[task].emplace_back()}, node.segment);
    }
  }
  return all;
}

Problem segment_problem(const Task& task, std::size_t segment, const std::string& what) {
  return {.file = {},
          .line = 0,
          .column = 0,
          .message = "task '" + task.name + "', segment " + std::to_string(segment) + ": " + what,
          .hint = {},
          .id = ProblemId::not_supported};
}

}  // namespace tactus::device
