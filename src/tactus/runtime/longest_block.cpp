#include "tactus/runtime/longest_block.hpp"

#include <algorithm>
#include <variant>

#include "tactus/runtime/opaque_work.hpp"

namespace tactus::runtime {

namespace {

Duration longest_block(const System& system, TaskIndex index, std::size_t segment, bool opaque) {
  const Task& task = system.tasks[index];
  const Segment& work = task.work.nodes[segment].segment;
  if (std::holds_alternative<CopySegment>(work) || std::holds_alternative<CpuSegment>(work)) return {};
  const Duration whole = whole_time(system, index, segment).worst;
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
      const bool is_bound =
          bindings != nullptr && task < bindings->size() && segment < (*bindings)[task].size();
      const bool opaque = is_bound && is_opaque(system, task, segment, (*bindings)[task][segment]);
      blocks.push_back(longest_block(system, task, segment, opaque));
    }
  }
  return all;
}

}  // namespace tactus::runtime
