#include "tactus/import/preemption.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "tactus/base/exact.hpp"
#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"

namespace tactus::import {

namespace {

/// A cooperative task can be preempted between some of its runnables, so its whole job is a safe reading.
bool keeps_its_core(const Process& process) {
  const std::string_view preemption = process.element->attribute("preemption");
  return preemption == "non_preemptive" || preemption == "cooperative" || process.has_uninterruptible;
}

bool is_never_preempted(const Process& process) {
  return process.element->attribute("preemption") == "non_preemptive";
}

bool has_cpu_work(const Task& task) {
  return std::any_of(task.work.nodes.begin(), task.work.nodes.end(),
                     [](const Node& node) { return std::holds_alternative<CpuSegment>(node.segment); });
}

Duration longest_of(const CpuSegment& cpu) {
  Duration longest = cpu.time.worst;
  for (const CoreTime& one : cpu.by_core) longest = std::max(longest, one.time.worst);
  return longest;
}

/// Whether some time passes in it for certain.
bool takes_time(const Segment& segment) {
  if (const auto* cpu = std::get_if<CpuSegment>(&segment)) return cpu->time.best > Duration{};
  if (const auto* copy = std::get_if<CopySegment>(&segment)) return copy->time.best > Duration{};
  if (const auto* gpu = std::get_if<ExclusiveSegment>(&segment)) return gpu->time.best > Duration{};
  if (const auto* kernel = std::get_if<KernelSegment>(&segment)) return kernel->block_time.best > Duration{};
  return false;
}

std::string_view how(const Process& process) {
  const std::string_view preemption = process.element->attribute("preemption");
  if (preemption == "non_preemptive" || preemption == "cooperative") return preemption;
  return "not preemptive everywhere";
}

class Blocking {
 public:
  Blocking(const std::vector<const Process*>& processes, const std::vector<Job>& jobs, const Options& options,
           Notes& notes, const System& system)
      : processes_{&processes},
        jobs_{&jobs},
        options_{&options},
        notes_{&notes},
        tasks_{&system.tasks},
        policy_{&system.policy} {}

  std::vector<Duration> find() {
    std::vector<Duration> delays;
    for (std::size_t i = 0; i < tasks_->size(); ++i) {
      Duration delay{};
      bool is_first = true;
      for (const Node& node : (*tasks_)[i].work.nodes) {
        if (!std::holds_alternative<CpuSegment>(node.segment)) continue;
        const bool holds_core = (*tasks_)[i].wait == Waiting::busy && !is_first;
        is_first = false;
        if (!holds_core) delay = checked_add(delay, longest_before(i, node));
      }
      delays.push_back(delay);
    }
    tell();
    return delays;
  }

 private:
  [[nodiscard]] bool may_be_in_the_way(std::size_t of, std::size_t task) const {
    if (of == task || !keeps_a_core(*(*processes_)[of], (*jobs_)[of])) return false;
    // What a task may not be preempted by are other tasks.
    if ((*processes_)[task]->is_interrupt && !(*processes_)[of]->is_interrupt) return false;
    // Cores and priorities that `plan` chooses are not known yet.
    return options_->open || policy_->cpu->order == Order::edf ||
           (*tasks_)[of].priority.value_or(0) <= (*tasks_)[task].priority.value_or(0);
  }

  [[nodiscard]] std::int32_t core_of(std::size_t task, const Node& node) const {
    return node.core.value_or((*tasks_)[task].core);
  }

  Duration longest_before(std::size_t task, const Node& node) {
    Duration longest{};
    for (std::size_t other = 0; other < tasks_->size(); ++other) {
      if (!may_be_in_the_way(other, task)) continue;
      const Duration stretch = longest_stretch(other, core_of(task, node));
      if (stretch == Duration{}) continue;
      longest = std::max(longest, stretch);
      blocking_.insert(other);
    }
    return longest;
  }

  /// How long the task has this core at most until it lets go: what may take no time in between does not end
  /// it.
  [[nodiscard]] Duration longest_stretch(std::size_t task, std::int32_t core) const {
    Duration longest{};
    Duration stretch{};
    for (const Node& node : (*tasks_)[task].work.nodes) {
      const auto* cpu = std::get_if<CpuSegment>(&node.segment);
      if (cpu != nullptr && (options_->open || core_of(task, node) == core)) {
        stretch = checked_add(stretch, longest_of(*cpu));
        longest = std::max(longest, stretch);
      } else if (takes_time(node.segment)) {
        stretch = {};
      }
    }
    return longest;
  }

  void tell() const {
    for (const std::size_t task : blocking_) {
      const Process& process = *(*processes_)[task];
      notes_->assume_more(
          "preemption", process.element,
          fmt::format(
              "{} is {}: more urgent tasks of its core may have to wait for it, and come so much later "
              "(jitter)",
              in_backticks(process.name), how(process)),
          "a system file has `cpu: {preemptive: false}` for all tasks");
      if ((*tasks_)[task].wait == Waiting::busy) {
        notes_->warn("preemption", process.element,
                     fmt::format("{} also keeps its core while it waits, which is not counted",
                                 in_backticks(process.name)));
      }
    }
  }

  const std::vector<const Process*>* processes_;
  const std::vector<Job>* jobs_;
  const Options* options_;
  Notes* notes_;
  const std::vector<Task>* tasks_;
  const Policy* policy_;
  std::set<std::size_t> blocking_;
};

}  // namespace

/// Also the tasks whose work is part of its jobs. Which part is whose is not looked at.
bool keeps_a_core(const Process& process, const Job& job) {
  return keeps_its_core(process) || std::any_of(job.offloaded.begin(), job.offloaded.end(),
                                                [](const Process* one) { return keeps_its_core(*one); });
}

std::vector<Duration> set_preemption(const std::vector<const Process*>& processes,
                                     const std::vector<Job>& jobs, const Options& options, Notes& notes,
                                     System& system) {
  bool all = true;
  bool any = false;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    if (!has_cpu_work(system.tasks[i])) continue;
    const bool keeps = is_never_preempted(*processes[i]) && system.tasks[i].wait != Waiting::busy &&
                       jobs[i].offloaded.empty();
    all = all && keeps;
    any = any || keeps_a_core(*processes[i], jobs[i]);
  }
  if (any && !all) return Blocking{processes, jobs, options, notes, system}.find();
  if (any) {
    system.policy.cpu->preemptive = false;
    notes.assume("preemption", nullptr, "no task can be preempted on a core: `cpu: {preemptive: false}`");
  }
  return std::vector<Duration>(processes.size());
}

}  // namespace tactus::import
