#include "tactus/runtime/opaque_work.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "tactus/base/error.hpp"

namespace tactus::runtime {

namespace {

/// A function that makes a copy itself makes it whole, so the analyses must not cut it into chunks either.
bool keep_whole(Segment& segment, const device::Binding& binding, const Gpu& gpu) {
  auto* copy = std::get_if<CopySegment>(&segment);
  if (copy == nullptr || chunks_of(*copy, gpu).count == 1) return false;
  if (binding.kind != device::Binding::Kind::function && binding.kind != device::Binding::Kind::calls)
    return false;
  copy->bytes.reset();
  return true;
}

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

bool is_opaque(const System& system, TaskIndex task, std::size_t segment, const device::Binding& binding) {
  const Task& of = system.tasks[task];
  const Segment& work = of.work.nodes[segment].segment;
  if (server_of(work) != ServerKind::gpu) return false;
  if (binding.kind == device::Binding::Kind::function) return true;
  if (binding.kind != device::Binding::Kind::calls || of.preemptible) return false;
  if (system.policy.strategy->times_nodes) return false;
  const bool cut_into_parts = !binding.captured && system.policy.strategy->sms == SmSharing::cores &&
                              std::holds_alternative<KernelSegment>(work);
  return !cut_into_parts;
}

System as_enforced(System system, const device::Bindings& bindings, const sched::Capabilities& engine) {
  if (!system.policy.strategy->times_nodes || engine.preempts_functions) return system;
  for (TaskIndex task = 0; task < bindings.size(); ++task) {
    for (std::size_t node = 0; node < bindings[task].size(); ++node) {
      const bool is_function = bindings[task][node].kind != device::Binding::Kind::built_in &&
                               server_of(system.tasks[task].work.nodes[node].segment) == ServerKind::cpu;
      if (!is_function) continue;
      if (!system.policy.cpu) system.policy.cpu.emplace();
      system.policy.cpu->preemptive = false;
      return system;
    }
  }
  return system;
}

void refuse_captured_with_launcher(const System& system, const device::Bindings& bindings) {
  std::vector<Problem> problems;
  for (TaskIndex task = 0; task < bindings.size(); ++task) {
    const bool is_captured = std::ranges::any_of(bindings[task], &device::Binding::captured);
    if (!is_captured || !system.tasks[task].launcher) continue;
    Problem& problem = problems.emplace_back();
    problem.message = "task '" + system.tasks[task].name +
                      "': the engine launches captured work itself, so its bounds cannot be those of a task "
                      "with a launcher";
    problem.hint = "leave `launcher` out, or bind the function without capturing it";
  }
  if (!problems.empty()) throw InputError{std::move(problems)};
}

BoundSystem as_bound(const System& system, const device::Bindings& bindings) {
  BoundSystem result{.system = system, .opaque = {}};
  // Where tasks own their SMs, no task is blocked by a block of another.
  const bool shares_sms = system.policy.strategy->sms != SmSharing::owned;
  for (TaskIndex i = 0; i < system.tasks.size() && i < bindings.size(); ++i) {
    Task& task = result.system.tasks[i];
    bool opaque = false;
    bool whole_copies = false;
    for (std::size_t segment = 0; segment < bindings[i].size(); ++segment) {
      whole_copies = (!shares_sms && keep_whole(task.work.nodes[segment].segment, bindings[i][segment],
                                                system.platform.gpu)) ||
                     whole_copies;
      if (!is_opaque(system, i, segment, bindings[i][segment])) continue;
      opaque = true;
      if (!shares_sms) continue;
      task.work.nodes[segment].segment = ExclusiveSegment{whole_time(system, i, segment)};
      task.longest_block.reset();
    }
    if (whole_copies) result.opaque.push_back(task.name + ": its copies are opaque: they are not cut");
    if (!opaque) continue;
    std::string line = task.name + ": its work is opaque: it cannot be preempted, so it counts as one block";
    if (system.policy.strategy->sms == SmSharing::cores && task != system.tasks[i]) {
      result.keeps_windows = false;
      line += ", and it may run on after its window, so nothing is proven";
    }
    result.opaque.push_back(std::move(line));
  }
  return result;
}

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
