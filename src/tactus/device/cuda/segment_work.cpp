#include "tactus/device/cuda/segment_work.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "tactus/base/error.hpp"
#include "tactus/base/exact.hpp"

namespace tactus::cuda {

namespace {

using device::Binding;
using Kind = SegmentWork::Kind;

struct MakeWork {
  const Task& task;
  const Gpu& gpu;
  std::int64_t virtual_sms = 0;

  SegmentWork operator()(const CpuSegment& cpu) const {
    SegmentWork work;
    work.kind = Kind::cpu;
    work.time = cpu.time;
    return work;
  }
  SegmentWork operator()(const CopySegment& copy) const {
    SegmentWork work;
    work.kind = Kind::copy;
    work.time = copy.time;
    work.bytes = copy.bytes;
    work.from_device = copy.direction == CopyDirection::from_device;
    return work;
  }
  SegmentWork operator()(const KernelSegment& kernel) const {
    SegmentWork work;
    work.kind = Kind::kernel;
    work.time = kernel.block_time;
    work.grid = kernel.blocks();
    work.shape = kernel.grid;
    work.threads = kernel.block;
    work.shared_memory = kernel.shared_memory;
    work.blocks_per_sm = std::max<std::int64_t>(1, blocks_per_sm(block_demand(kernel, gpu), gpu));
    return work;
  }
  /// The task owns the SMs, so only the time matters.
  SegmentWork operator()(const GpuSegment& segment) const {
    SegmentWork work;
    work.kind = Kind::exclusive;
    if (virtual_sms > 0) work.time = gpu_time(segment, virtual_sms);
    return work;
  }
  SegmentWork operator()(const ExclusiveSegment& exclusive) const {
    SegmentWork work;
    work.kind = Kind::exclusive;
    work.time = exclusive.time;
    work.slice = task.longest_block;
    return work;
  }
};

const Binding* find_binding(const device::Bindings* bindings, std::size_t task, std::size_t segment) {
  if (bindings == nullptr || task >= bindings->size() || segment >= (*bindings)[task].size()) return nullptr;
  const Binding& binding = (*bindings)[task][segment];
  return binding.kind == Binding::Kind::built_in ? nullptr : &binding;
}

/// Returns the problem of a binding, or nothing.
std::string bind(const Binding& binding, SegmentWork& work) {
  if (binding.is_empty()) return "the bound function is empty";
  if (work.kind == Kind::cpu) {
    if (binding.kind == Binding::Kind::function) return {};
    return "a `cpu` segment is bound to a function of a Job&, not to GPU work";
  }
  if (binding.kind == Binding::Kind::copy) {
    if (work.kind != Kind::copy) return "only a `copy` segment moves bytes";
    work.copy = &binding.copy;
    return {};
  }
  if (binding.kind == Binding::Kind::blocks) return "only the host device calls a function for each block";
  if (binding.kind == Binding::Kind::function) {
    return "GPU work is bound to a function of a cuda::Job&, which enqueues it; one of a Job& runs on a CPU";
  }
  work.calls = &binding;
  return {};
}

std::string problem_of(const SegmentWork& work, const Segment& segment, std::int64_t virtual_sms) {
  constexpr std::int64_t max_threads = 1024;  // per block, on all devices so far
  constexpr std::int64_t max_blocks = 0x7fffffff;
  if (!work.is_built_in() || work.kind == Kind::cpu) return {};
  if (std::holds_alternative<GpuSegment>(segment) && virtual_sms == 0) {
    return "a `gpu` segment needs virtual SMs";
  }
  if (work.kind != Kind::kernel) return {};
  if (work.threads > max_threads) {
    return "a block has at most " + std::to_string(max_threads) + " threads, not " +
           std::to_string(work.threads);
  }
  if (work.grid > max_blocks) {
    return "a grid has at most " + std::to_string(max_blocks) + " blocks, not " + std::to_string(work.grid);
  }
  return {};
}

}  // namespace

SegmentWorks make_segment_works(const System& system, const device::Bindings* bindings) {
  SegmentWorks works;
  std::vector<Problem> problems;
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    const std::int64_t virtual_sms =
        i < system.virtual_sms.size() ? system.virtual_sms[i].value_or(0) : std::int64_t{0};
    std::vector<SegmentWork>& of_task = works.emplace_back();
    for (std::size_t segment = 0; segment < task.work.nodes.size(); ++segment) {
      const Segment& what = task.work.nodes[segment].segment;
      SegmentWork work = std::visit(MakeWork{task, system.platform.gpu, virtual_sms}, what);
      work.best_effort = task.arrival == Arrival::best_effort;
      work.preemptible = task.preemptible;
      work.may_abort = task.budget && task.on_overrun == OnOverrun::abort;
      const Binding* binding = find_binding(bindings, i, segment);
      std::string problem = binding == nullptr ? std::string{} : bind(*binding, work);
      if (problem.empty()) problem = problem_of(work, what, virtual_sms);
      if (!problem.empty()) {
        problem = "task '" + task.name + "', segment " + std::to_string(segment) + ": " + problem;
        problems.push_back({.file = {}, .line = 0, .column = 0, .message = std::move(problem), .hint = {}});
      }
      of_task.push_back(work);
    }
  }
  if (!problems.empty()) throw InputError{std::move(problems)};
  return works;
}

device::Bindings cpu_bindings(const System& system, const device::Bindings* bindings) {
  device::Bindings result;
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    std::vector<Binding>& of_task = result.emplace_back();
    for (std::size_t segment = 0; segment < system.tasks[i].work.nodes.size(); ++segment) {
      const Binding* binding = find_binding(bindings, i, segment);
      const bool on_cpu = std::holds_alternative<CpuSegment>(system.tasks[i].work.nodes[segment].segment);
      of_task.push_back(on_cpu && binding != nullptr ? *binding : Binding{});
    }
  }
  return result;
}

Part part_of(const SegmentWork& work, const sched::Stretch& stretch, Duration whole) {
  Part part{.time = whole};
  if (work.kind == Kind::kernel) {
    const std::int64_t left = std::max<std::int64_t>(0, work.grid - stretch.done.blocks);
    part.first_block = stretch.done.blocks;
    part.blocks = std::min(left, stretch.max_blocks);
    part.is_last = part.blocks == left;
  } else if (work.kind == Kind::exclusive) {
    const Duration left = std::max(Duration{}, whole - stretch.done.time);
    part.time = work.calls == nullptr ? std::min(left, stretch.max_time) : left;
    part.is_last = part.time == left;
  }
  return part;
}

sched::SegmentProgress after_part(const SegmentWork& work, const Part& part,
                                  const sched::SegmentProgress& before) {
  sched::SegmentProgress after = before;
  after.blocks += part.blocks;
  if (work.kind == Kind::exclusive)
    after.time = saturating_add(time_at(before.time), part.time).time_since_epoch();
  return after;
}

Waves cut_into_waves(Duration time, Duration longest) {
  if (longest <= Duration{} || time <= longest) return {.count = 1, .each = time};
  const std::int64_t waves = ceil_div(in_ns(time), in_ns(longest));
  return {.count = waves, .each = time / waves};
}

}  // namespace tactus::cuda
