#include "tactus/import/gpu_policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/import/properties.hpp"
#include "tactus/model/limits.hpp"

namespace tactus::import {

namespace {

bool has_kernel(const Task& task) {
  return std::any_of(task.work.nodes.begin(), task.work.nodes.end(),
                     [](const Node& node) { return std::holds_alternative<KernelSegment>(node.segment); });
}

bool is_gpu(const ProcessingUnit& unit) { return unit.kind == UnitKind::gpu; }

/// The longest slice that the model gives a process of the GPU.
std::optional<Duration> longest_slice(const Model& model) {
  std::optional<Duration> longest;
  for (const auto& [element, scheduler] : model.mapping.schedulers) {
    const bool serves_gpu = std::any_of(scheduler.serves.begin(), scheduler.serves.end(),
                                        [](const ProcessingUnit* one) { return is_gpu(*one); });
    if (serves_gpu && scheduler.longest_slice)
      longest = std::max(longest.value_or(*scheduler.longest_slice), *scheduler.longest_slice);
  }
  if (longest) return longest;
  for (const TaskAllocationFacts& one : model.mapping.tasks) {
    if (one.time_slice) longest = std::max(longest.value_or(*one.time_slice), *one.time_slice);
  }
  return longest;
}

/// The strategy under which processes have the GPU in turns.
StrategyRef in_turns() {
  const std::vector<StrategyRef> all = known_strategies();
  const auto found = std::find_if(all.begin(), all.end(), [](StrategyRef one) { return one->slices_time; });
  return found == all.end() ? StrategyRef{} : *found;
}

void set_sms(const Model& model, Notes& notes, System& system) {
  const auto count = std::count_if(model.hardware.units.begin(), model.hardware.units.end(), is_gpu);
  Gpu& gpu = system.platform.gpu;
  gpu.sms = static_cast<std::int32_t>(std::clamp<std::int64_t>(
      model.hardware.sms.value_or(1), tactus::limits::sms.min, tactus::limits::sms.max));
  if (count == 0) return;
  if (!model.hardware.sms) {
    notes.assume("sms", nullptr, "the model does not say how many SMs its GPU has: 1",
                 "reference a feature of the category `SMs` from its definition");
  }
  if (count > 1) {
    notes.warn("several-gpus", nullptr,
               fmt::format("the model has {} GPUs; the system has one, which does the work of all", count));
  }
}

}  // namespace

void set_gpu(const Model& model, const Options& options, Notes& notes, System& system) {
  set_sms(model, notes, system);
  const bool any_gpu = std::any_of(system.tasks.begin(), system.tasks.end(),
                                   [](const Task& one) { return uses_gpu(one.work); });
  const bool all_kernels = std::all_of(system.tasks.begin(), system.tasks.end(), [](const Task& one) {
    return !uses_gpu(one.work) || has_kernel(one);
  });
  const std::optional<Duration> slice = longest_slice(model);
  const bool in_slices = options.sharing == Sharing::processes ||
                         (options.sharing == Sharing::automatic && any_gpu && (slice || !all_kernels));
  system.policy.order = Order::fp;
  system.policy.strategy = in_slices ? in_turns() : StrategyRef{};
  if (in_slices && slice) system.policy.time_slice = *slice;
  for (Task& task : system.tasks) {
    if (!in_slices || !uses_gpu(task.work) || task.time_slice == system.policy.time_slice)
      task.time_slice.reset();
    if (in_slices || !uses_gpu(task.work)) {
      task.stream.reset();
      task.stream_priority = 0;
    }
  }
  if (!any_gpu) return;
  if (in_slices) {
    notes.assume(
        "gpu-sharing", nullptr,
        fmt::format(
            "every task that uses the GPU is a process of its own; the GPU serves them in turns of {}",
            to_text(system.policy.time_slice) +
                (slice ? ", or what the model says" : " (the model says nothing)")),
        "--gpu one-process: all kernels in one process");
  } else {
    notes.assume("gpu-sharing", nullptr,
                 "all kernels come from one process, and the GPU takes their blocks as they come",
                 "--gpu processes: every task a process");
  }
}

void set_cpu_policy(const Model& model, Notes& notes, System& system) {
  std::size_t edf = 0;
  std::size_t others = 0;
  for (const auto& [element, scheduler] : model.mapping.schedulers) {
    const bool serves_cores =
        std::any_of(scheduler.serves.begin(), scheduler.serves.end(),
                    [](const ProcessingUnit* one) { return one->kind == UnitKind::cpu; });
    if (!serves_cores) continue;
    const std::string algorithm = folded(scheduler.algorithm);
    const bool is_edf = algorithm.starts_with("earliestdeadlinefirst");
    const bool is_fp = algorithm.starts_with("fixedpriority") || algorithm == "osek" ||
                       algorithm.ends_with("monotonic") || algorithm == "deadlinemonotonic";
    ++(is_edf ? edf : others);
    if (is_edf || (is_fp && algorithm.find("nonpreemptive") == std::string::npos)) continue;
    notes.warn(
        "scheduler", scheduler.element,
        fmt::format("scheduler {} has the algorithm {}, which is taken as fixed priorities with preemption",
                    in_backticks(scheduler.name),
                    in_backticks(scheduler.algorithm.empty() ? "none" : scheduler.algorithm)));
  }
  const bool is_edf = edf > 0 && others == 0;
  if (edf > 0 && others > 0)
    notes.warn("scheduler", nullptr,
               "some cores are scheduled by deadline and some by priority; all are taken to be scheduled by "
               "priority");
  system.policy.cpu = CpuChoice{.order = is_edf ? Order::edf : Order::fp};
}

}  // namespace tactus::import
