#include "tactus/runtime/longest_block.hpp"

#include <algorithm>
#include <variant>

namespace tactus::runtime {

Duration whole_time(const System& system, TaskIndex task, std::size_t segment) {
  const Duration once = execution_time(system, task, segment).worst;
  const auto* kernel = std::get_if<KernelSegment>(&system.tasks[task].work.nodes[segment].segment);
  if (kernel == nullptr) return once;
  const std::int64_t sms = std::max<std::int64_t>(system.platform.gpu.sms, 1);
  const std::int64_t waves = (kernel->blocks() - 1) / sms + 1;
  return once > Duration::max() / waves ? Duration::max() : once * waves;
}

namespace {

Duration longest_block(const System& system, TaskIndex index, std::size_t segment, bool opaque) {
  const Task& task = system.tasks[index];
  const Segment& work = task.work.nodes[segment].segment;
  if (std::holds_alternative<CopySegment>(work) || std::holds_alternative<CpuSegment>(work)) return {};
  const Duration whole = whole_time(system, index, segment);
  if (opaque) return whole;
  if (const auto* kernel = std::get_if<KernelSegment>(&work)) return kernel->block_time.worst;
  return std::min(whole, task.longest_block.value_or(whole));
}

}  // namespace

std::vector<std::vector<Duration>> longest_blocks(const System& system, const device::Bindings* bindings) {
  std::vector<std::vector<Duration>> all;
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    std::vector<Duration>& blocks = all.emplace_back();
    for (std::size_t segment = 0; segment < system.tasks[task].work.nodes.size(); ++segment) {
      using Kind = device::Binding::Kind;
      const Kind kind = bindings == nullptr ? Kind::built_in : (*bindings)[task][segment].kind;
      const bool opaque = kind == Kind::function || kind == Kind::calls;
      blocks.push_back(longest_block(system, task, segment, opaque));
    }
  }
  return all;
}

}  // namespace tactus::runtime
