#include "tactus/device/cuda/segment_work.hpp"

#include <algorithm>
#include <string>
#include <variant>

#include "tactus/base/exact.hpp"

namespace tactus::cuda {

namespace {

using device::Binding;
using Kind = device::OperationKind;

/// Returns the problem of a binding, or nothing.
std::string bind(const Binding& binding, SegmentWork& work) {
  if (binding.is_empty()) return "the bound function is empty";
  if (work.server == ServerKind::cpu) {
    if (binding.kind == Binding::Kind::function) return {};
    return "a `cpu` segment is bound to a function of a Job&, not to GPU work";
  }
  if (binding.kind == Binding::Kind::copy) {
    if (!work.is(Kind::copy)) return "only a `copy` segment moves bytes";
    work.copy = &binding.copy;
    return {};
  }
  if (binding.kind == Binding::Kind::blocks) return "only the host device calls a function for each block";
  if (binding.kind == Binding::Kind::function) {
    return "GPU work is bound to a function of a cuda::Job&, which enqueues it; one of a Job& runs on a CPU";
  }
  if (binding.captured && work.preemptible) {
    return "`preemptible` work takes its blocks from a loop, which cannot be captured: bind it with bind()";
  }
  work.calls = &binding;
  return {};
}

std::string problem_of(const SegmentWork& work, const Segment& segment, std::int64_t virtual_sms) {
  constexpr std::int64_t max_threads = 1024;  // per block, on all devices so far
  constexpr std::int64_t max_blocks = 0x7fffffff;
  if (!work.is_built_in() || work.server == ServerKind::cpu) return {};
  if (std::holds_alternative<GpuSegment>(segment) && virtual_sms == 0) {
    return "a `gpu` segment needs virtual SMs";
  }
  if (!work.is(Kind::kernel)) return {};
  if (work.threads > max_threads) {
    return "a block has at most " + std::to_string(max_threads) + " threads, not " +
           std::to_string(work.threads);
  }
  if (work.call.blocks > max_blocks) {
    return "a grid has at most " + std::to_string(max_blocks) + " blocks, not " +
           std::to_string(work.call.blocks);
  }
  return {};
}

}  // namespace

SegmentWorks make_segment_works(const System& system, const device::Bindings* bindings) {
  const Gpu& gpu = system.platform.gpu;
  const auto complete = [&](SegmentWork& work, TaskIndex i, const Node& node, const Binding* binding) {
    const Segment& segment = node.segment;
    if (const auto* copy = std::get_if<CopySegment>(&segment)) {
      work.from_device = copy->direction == CopyDirection::from_device;
    } else if (const auto* kernel = std::get_if<KernelSegment>(&segment)) {
      work.shape = kernel->grid;
      work.threads = kernel->block;
      work.shared_memory = kernel->shared_memory;
      work.blocks_per_sm = std::max<std::int64_t>(1, blocks_per_sm(work.call.demand, gpu));
    }
    const Task& task = system.tasks[i];
    work.best_effort = task.arrival == Arrival::best_effort;
    work.preemptible = task.preemptible;
    work.may_abort = task.budget && task.on_overrun == OnOverrun::abort;
    std::string problem = binding == nullptr ? std::string{} : bind(*binding, work);
    return problem.empty() ? problem_of(work, segment, virtual_sms_of(system, i, node)) : problem;
  };
  return device::bind_segments<SegmentWork>(system, bindings, complete);
}

device::Bindings cpu_bindings(const System& system, const device::Bindings* bindings) {
  device::Bindings result;
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    std::vector<Binding>& of_task = result.emplace_back();
    for (std::size_t segment = 0; segment < system.tasks[i].work.nodes.size(); ++segment) {
      const Binding* binding = device::find_binding(bindings, i, segment);
      const bool on_cpu = std::holds_alternative<CpuSegment>(system.tasks[i].work.nodes[segment].segment);
      of_task.push_back(on_cpu && binding != nullptr ? *binding : Binding{});
    }
  }
  return result;
}

Part part_of(const SegmentWork& work, const sched::Stretch& stretch, Duration whole) {
  Part part{.time = whole};
  if (work.is_captured()) {
    part.blocks = work.call.blocks;  // a graph is launched whole
  } else if (work.is(Kind::kernel)) {
    part.first_block = stretch.done.blocks;
    part.blocks = stretch.blocks_of(work.call.blocks);
    part.is_last = stretch.is_last;
  } else if (work.is(Kind::exclusive) && work.is_built_in()) {
    part.time = stretch.time_of(whole);
    part.is_last = whole <= stretch.until.time;
  }
  return part;
}

sched::SegmentProgress after_part(const SegmentWork& work, const Part& part,
                                  const sched::SegmentProgress& before) {
  sched::SegmentProgress after = before;
  after.blocks += part.blocks;
  if (work.is(Kind::exclusive))
    after.time = saturating_add(time_at(before.time), part.time).time_since_epoch();
  return after;
}

Waves cut_into_waves(Duration time, Duration longest) {
  if (longest <= Duration{} || time <= longest) return {.count = 1, .each = time};
  const std::int64_t waves = ceil_div(in_ns(time), in_ns(longest));
  return {.count = waves, .each = time / waves};
}

}  // namespace tactus::cuda
