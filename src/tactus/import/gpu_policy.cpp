#include "tactus/import/gpu_policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/import/algorithm.hpp"
#include "tactus/import/properties.hpp"
#include "tactus/model/limits.hpp"

namespace tactus::import {

namespace {

bool has_kernel(const Task& task) {
  return std::any_of(task.work.nodes.begin(), task.work.nodes.end(),
                     [](const Node& node) { return std::holds_alternative<KernelSegment>(node.segment); });
}

bool is_gpu(const ProcessingUnit& unit) { return unit.kind == UnitKind::gpu; }

bool serves_gpu(const TaskSchedulerFacts& scheduler) {
  return std::any_of(scheduler.serves.begin(), scheduler.serves.end(),
                     [](const ProcessingUnit* one) { return is_gpu(*one); });
}

/// Where only the least slice is known, that is the best guess.
std::optional<Duration> slice_of(std::optional<Duration> longest, std::optional<Duration> shortest) {
  return longest || !shortest ? longest : std::max(*shortest, Policy{}.time_slice);
}

/// The longest slice that the model gives a process of the GPU.
std::optional<Duration> longest_slice(const Model& model) {
  std::optional<Duration> longest;
  const auto count = [&longest](const std::optional<Duration>& slice) {
    if (slice) longest = std::max(longest.value_or(*slice), *slice);
  };
  for (const auto& [element, scheduler] : model.mapping.schedulers) {
    if (serves_gpu(scheduler)) count(slice_of(scheduler.longest_slice, scheduler.shortest_slice));
  }
  if (longest) return longest;
  for (const TaskAllocationFacts& one : model.mapping.tasks)
    count(slice_of(one.time_slice, one.shortest_slice));
  return longest;
}

/// The strategy under which processes have the GPU in turns.
StrategyRef in_turns() {
  const std::vector<StrategyRef> all = known_strategies();
  const auto found = std::find_if(all.begin(), all.end(), [](StrategyRef one) { return one->slices_time; });
  return found == all.end() ? StrategyRef{} : *found;
}

/// The GPUs that have work, or else all.
std::vector<const ProcessingUnit*> gpus_of(const Model& model, const std::vector<Job>& jobs) {
  std::set<const ProcessingUnit*> used;
  for (const Job& job : jobs) {
    for (const Part& part : job.parts) used.insert(part.unit);
  }
  std::vector<const ProcessingUnit*> all;
  for (const ProcessingUnit& unit : model.hardware.units) {
    if (is_gpu(unit)) all.push_back(&unit);
  }
  std::vector<const ProcessingUnit*> working = all;
  std::erase_if(working, [&used](const ProcessingUnit* one) { return !used.contains(one); });
  return working.empty() ? all : working;
}

/// A GPU with fewer SMs does no work sooner, so the smallest stands for all.
void set_sms(const Model& model, const std::vector<Job>& jobs, Notes& notes, System& system) {
  const std::vector<const ProcessingUnit*> gpus = gpus_of(model, jobs);
  Gpu& gpu = system.platform.gpu;
  gpu.sms = 1;
  if (gpus.empty()) return;
  const ProcessingUnit* smallest = *std::min_element(
      gpus.begin(), gpus.end(), [](const auto* a, const auto* b) { return a->sms < b->sms; });
  gpu.sms = static_cast<std::int32_t>(
      std::clamp<std::int64_t>(smallest->sms.value_or(1), tactus::limits::sms.min, tactus::limits::sms.max));
  if (!smallest->sms) {
    notes.assume("sms", smallest->element,
                 fmt::format("the model does not say how many SMs {} has: 1", in_backticks(smallest->name)),
                 "reference a feature of the category `SMs` from its definition");
  }
  if (gpus.size() > 1) {
    notes.point_out(
        "several-gpus", smallest->element,
        fmt::format("{} GPUs of the model have work; the system has one, which does the work of all, with "
                    "the SMs of {} ({}), which has fewest",
                    gpus.size(), in_backticks(smallest->name), gpu.sms),
        "times are no shorter than with all GPUs; a system file for each GPU says more");
  }
}

bool serves_cores(const TaskSchedulerFacts& scheduler) {
  return std::any_of(scheduler.serves.begin(), scheduler.serves.end(),
                     [](const ProcessingUnit* one) { return one->kind == UnitKind::cpu; });
}

std::string algorithm_name(const TaskSchedulerFacts& scheduler) {
  return scheduler.algorithm.empty() ? "no algorithm" : in_backticks(scheduler.algorithm);
}

/// Turns that may be longer than the system says.
void warn_of_open_slices(const Model& model, const Duration& turn, Notes& notes) {
  const auto warn = [&](const Element* where, std::string_view name, const Duration& shortest) {
    notes.warn(
        "time-slice", where,
        fmt::format("time slices of {} take {} at least, and how long at most is not said: turns of the GPU "
                    "take {} here, so tasks may have it earlier here than in the model",
                    in_backticks(name), to_text(shortest), to_text(turn)),
        "say how long they are at most: `maximumTimeslice`");
  };
  for (const auto& [element, one] : model.mapping.schedulers) {
    if (serves_gpu(one) && !one.longest_slice && one.shortest_slice)
      warn(element, one.name, *one.shortest_slice);
  }
  for (const TaskAllocationFacts& one : model.mapping.tasks) {
    const bool is_open = one.shortest_slice && !one.time_slice && one.scheduler != nullptr &&
                         serves_gpu(*one.scheduler) && !one.scheduler->longest_slice;
    if (is_open) warn(one.element, name_of(*one.task), *one.shortest_slice);
  }
}

/// Whether a scheduler serves processes in turns: by its name, or with time slices by a rule of its own.
bool takes_turns(const TaskSchedulerFacts& scheduler) {
  const std::string name = folded(scheduler.algorithm);
  if (name.empty() || name == "roundrobin" || name.find("userspecific") != std::string::npos) return true;
  return !is_known_algorithm(scheduler.algorithm) && (scheduler.longest_slice || scheduler.shortest_slice);
}

/// By priorities or deadlines a task that has the GPU for itself waits for nobody either.
bool matters_to_one(const TaskSchedulerFacts& scheduler) {
  return rule_of(scheduler.algorithm) == Rule::other;
}

std::ptrdiff_t users_of_gpu(const System& system) {
  return std::ranges::count_if(system.tasks, [](const Task& one) { return uses_gpu(one.work); });
}

void warn_of_gpu_algorithms(const Model& model, const System& system, Notes& notes) {
  const std::ptrdiff_t users = users_of_gpu(system);
  for (const auto& [element, scheduler] : model.mapping.schedulers) {
    const bool matters = users > 1 || (users == 1 && matters_to_one(scheduler));
    // Whether several processes share the GPU, a rule of its own does not say.
    const bool fits = system.policy.strategy->slices_time
                          ? takes_turns(scheduler)
                          : takes_turns(scheduler) && folded(scheduler.algorithm) != "roundrobin";
    if (!matters || !serves_gpu(scheduler) || fits) continue;
    notes.warn(
        "scheduler", scheduler.element,
        fmt::format("scheduler {} of the GPU has {}, which is taken as {}: some of its tasks may be done "
                    "earlier here than in the model",
                    in_backticks(scheduler.name), algorithm_name(scheduler),
                    system.policy.strategy->slices_time
                        ? "turns of " + to_text(system.policy.time_slice) + " for all"
                        : "kernels of one process, whose blocks it takes as they come"));
  }
}

void warn_of_difference(const TaskSchedulerFacts& scheduler, Notes& notes) {
  const std::string_view difference = difference_of(scheduler.algorithm);
  if (difference.empty()) return;
  notes.warn("scheduler", scheduler.element,
             fmt::format("scheduler {} has {}, which is taken as fixed priorities with "
                         "preemption: {}",
                         in_backticks(scheduler.name), algorithm_name(scheduler), difference));
}

/// The tasks of a scheduler compete with those of the one above it by that one's algorithm.
void compare_with_parent(const TaskSchedulerFacts& scheduler, Notes& notes) {
  const TaskSchedulerFacts& parent = *scheduler.parent;
  if (folded(scheduler.algorithm) == folded(parent.algorithm)) return;
  const std::string_view difference = difference_of(scheduler.algorithm);
  notes.warn(
      "scheduler", scheduler.element,
      fmt::format("scheduler {} ({}) stands below {} ({}), by whose algorithm the tasks of both compete "
                  "here: {}",
                  in_backticks(scheduler.name), algorithm_name(scheduler), in_backticks(parent.name),
                  algorithm_name(parent),
                  difference.empty() ? "tasks may be done earlier here than in the model" : difference));
}

}  // namespace

void set_gpu(const Model& model, const std::vector<Job>& jobs, const Options& options, Notes& notes,
             System& system) {
  set_sms(model, jobs, notes, system);
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
  warn_of_gpu_algorithms(model, system, notes);
  if (in_slices) {
    warn_of_open_slices(model, system.policy.time_slice, notes);
    if (!slice && users_of_gpu(system) > 1) {
      notes.warn(
          "time-slice", nullptr,
          fmt::format("the model does not say how long a process keeps the GPU at most: {} here, and if "
                      "it is longer, others wait longer",
                      to_text(system.policy.time_slice)),
          "give the GPU's scheduler a `maximumTimeslice`, or the system file a `time_slice`");
    }
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
    if (scheduler.is_for_interrupts || !serves_cores(scheduler)) continue;
    if (scheduler.parent != nullptr && serves_cores(*scheduler.parent)) {
      compare_with_parent(scheduler, notes);
      continue;
    }
    const bool is_edf = rule_of(scheduler.algorithm) == Rule::edf;
    ++(is_edf ? edf : others);
    if (!is_edf) warn_of_difference(scheduler, notes);
  }
  const bool is_edf = edf > 0 && others == 0;
  if (edf > 0 && others > 0)
    notes.warn("scheduler", nullptr,
               "some cores are scheduled by deadline and some by priority; all are taken to be scheduled by "
               "priority");
  const bool has_interrupts = std::any_of(model.software.tasks.begin(), model.software.tasks.end(),
                                          [](const Process& one) { return one.is_interrupt; });
  if (is_edf && has_interrupts)
    notes.warn(
        "interrupts", nullptr,
        "the cores are scheduled by deadline, and so are interrupts here: tasks with a shorter deadline "
        "may be done earlier here than in the model",
        "give interrupts short deadlines in the system file");
  system.policy.cpu = CpuChoice{.order = is_edf ? Order::edf : Order::fp};
}

}  // namespace tactus::import
