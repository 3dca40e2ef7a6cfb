#include "support/chain_bounds.hpp"

#include <algorithm>
#include <functional>

#include "tactus/analysis/chain_groups.hpp"
#include "tactus/analysis/federated_tasks.hpp"
#include "tactus/analysis/registry.hpp"

namespace tactus::test {

namespace {

using analysis::FederatedTask;
using analysis::FederatedTasks;
using analysis::Stage;
using analysis::Stages;

/// One task as less urgent ones see it.
struct Above {
  const FederatedTask* task;
  Stages stages;
  std::int64_t carried_in;  // X
};

/// E, inner, wrap1 and wrap2 of one server, in nanoseconds.
struct Pattern {
  std::vector<std::int64_t> work;
  std::vector<std::int64_t> gaps;
  std::int64_t first_wrap = 0;
  std::int64_t later_wrap = 0;
};

Pattern pattern_of(const Above& above, ServerKind server, const Simplification& simplification) {
  Pattern pattern;
  std::int64_t gap = 0;
  std::int64_t lead = 0;
  std::int64_t sum = 0;
  for (const Stage& stage : above.stages) {
    if (stage.server != server || !stage.is_issued()) {
      gap += in_ns(simplification.worst_in_gaps ? stage.time.worst : stage.time.best);
      continue;
    }
    if (pattern.work.empty()) {
      lead = gap;
    } else {
      pattern.gaps.push_back(gap);
      sum += gap;
    }
    pattern.work.push_back(in_ns(stage.time.worst));
    sum += in_ns(stage.time.worst);
    gap = 0;
  }
  const std::int64_t period = in_ns(above.task->period);
  pattern.later_wrap = std::max<std::int64_t>(0, period - sum);
  pattern.first_wrap = period - (simplification.full_period_first ? 0 : above.carried_in) + gap + lead;
  if (simplification.no_carry_in) pattern.first_wrap = pattern.later_wrap;
  return pattern;
}

std::int64_t work_from(const Pattern& pattern, std::size_t start, std::int64_t length) {
  std::int64_t place = 0;
  std::int64_t done = 0;
  bool first = true;
  for (std::size_t i = start; place < length;) {
    done += std::min(pattern.work[i], length - place);
    place += pattern.work[i];
    if (i + 1 < pattern.work.size()) {
      place += pattern.gaps[i++];
    } else {
      place += std::exchange(first, false) ? pattern.first_wrap : pattern.later_wrap;
      i = 0;
    }
  }
  return done;
}

std::int64_t max_work(const Above& above, ServerKind server, std::int64_t length,
                      const Simplification& simplification) {
  const Pattern pattern = pattern_of(above, server, simplification);
  if (pattern.work.empty() || length <= 0) return 0;
  if (simplification.count_of_periods) {
    std::int64_t sum = 0;
    for (const std::int64_t piece : pattern.work) sum += piece;
    return ceil_div(length, in_ns(above.task->period)) * sum;
  }
  std::int64_t most = 0;
  const std::size_t starts = simplification.first_stage_only ? 1 : pattern.work.size();
  for (std::size_t start = 0; start < starts; ++start) {
    most = std::max(most, work_from(pattern, start, length));
  }
  return most;
}

std::optional<std::int64_t> least(std::int64_t from, std::int64_t limit,
                                  const std::function<std::int64_t(std::int64_t)>& next) {
  for (std::int64_t r = from; r <= limit;) {
    const std::int64_t more = next(r);
    if (more <= r) return r;
    r = more;
  }
  return std::nullopt;
}

/// One task below others.
class Bound {
 public:
  Bound(const FederatedTask& task, const Stages& stages, const std::vector<Above>& above,
        std::int64_t blocking, const Simplification& simplification)
      : task_{task}, stages_{stages}, above_{above}, blocking_{blocking}, simplification_{simplification} {}

  [[nodiscard]] std::optional<std::int64_t> find() const {
    const std::int64_t limit = in_ns(task_.deadline - task_.jitter);
    std::int64_t gpu = 0;
    std::int64_t cpu = 0;
    std::int64_t copies = 0;
    std::int64_t blocked = 0;
    std::optional<std::int64_t> each_cpu = 0;
    std::optional<std::int64_t> each_copy = 0;
    const auto start = [&](std::int64_t by) {
      const std::int64_t unit = simplification_.started_too_soon ? 0 : 1;
      return least(0, limit, [&](std::int64_t s) { return by + on_engine(s + unit); });
    };
    bool first_copy = true;
    for (const Stage& stage : stages_) {
      const std::int64_t time = in_ns(stage.time.worst);
      if (stage.server == ServerKind::gpu) {
        gpu += time;
      } else if (!stage.is_issued()) {
        continue;
      } else if (stage.server == ServerKind::cpu) {
        cpu += time;
        const auto response = simplification_.first_form_without_preemption
                                  ? std::optional{time}
                                  : least(time, limit, [&](std::int64_t r) { return time + on_core(r); });
        each_cpu = each_cpu && response ? std::optional{*each_cpu + *response} : std::nullopt;
      } else {
        copies += time;
        const std::int64_t by = simplification_.blocked_once && !first_copy ? 0 : blocking_;
        first_copy = false;
        blocked += by;
        const std::int64_t last = simplification_.undisturbed_pieces ? time : in_ns(stage.last_chunk);
        const auto begins = start(by + time - last);
        each_copy = each_copy && begins ? std::optional{*each_copy + *begins + last} : std::nullopt;
      }
    }
    std::optional<std::int64_t> best;
    const auto consider = [&](const std::optional<std::int64_t>& r) {
      if (r && (!best || *r < *best)) best = r;
    };
    if (each_cpu && each_copy) consider(gpu + *each_copy + *each_cpu);
    if (each_copy) {
      const std::int64_t own = gpu + *each_copy + cpu;
      consider(least(own, limit, [&](std::int64_t r) { return own + on_core(r); }));
    }
    if (each_cpu) {
      const std::int64_t own = gpu + copies + blocked + *each_cpu;
      consider(least(own, limit, [&](std::int64_t r) { return own + on_engine(r); }));
    }
    const std::int64_t own = gpu + copies + blocked + cpu;
    consider(least(own, limit, [&](std::int64_t r) { return own + on_core(r) + on_engine(r); }));
    return best;
  }

 private:
  [[nodiscard]] std::int64_t on_core(std::int64_t length) const {
    std::int64_t sum = 0;
    for (const Above& other : above_) {
      if (other.task->core == task_.core) sum += max_work(other, ServerKind::cpu, length, simplification_);
    }
    return sum;
  }
  [[nodiscard]] std::int64_t on_engine(std::int64_t length) const {
    std::int64_t sum = 0;
    for (const Above& other : above_) {
      if (simplification_.copies_of_own_core_only && other.task->core != task_.core) continue;
      sum += max_work(other, ServerKind::copy, length, simplification_);
    }
    return sum;
  }

  const FederatedTask& task_;
  const Stages& stages_;
  const std::vector<Above>& above_;
  std::int64_t blocking_;
  const Simplification& simplification_;
};

/// B, by place in the order of urgency.
std::int64_t blocking_of(const System& system, const FederatedTasks& tasks, std::size_t index,
                         const Simplification& simplification) {
  if (simplification.never_blocked) return 0;
  Duration longest = simplification.best_effort_forgotten ? Duration{} : tasks.background_copy;
  for (std::size_t i = index + 1; i < tasks.tasks.size(); ++i) {
    if (simplification.unmerged_copies && !system.platform.gpu.copy_chunk) {
      for (const Node& node : system.tasks[tasks.tasks[i].task].work.nodes) {
        if (std::holds_alternative<CopySegment>(node.segment)) {
          longest = std::max(longest, drawn_time(node.segment).worst + system.platform.overheads.copy);
        }
      }
      continue;
    }
    for (const Stage& stage : tasks.tasks[i].stages.back()) {
      if (stage.server == ServerKind::copy) longest = std::max(longest, stage.longest_chunk);
    }
  }
  return in_ns(longest);
}

void change_gpu(System& system, const Simplification& simplification) {
  for (Task& task : system.tasks) {
    for (Node& node : task.work.nodes) {
      auto* gpu = std::get_if<GpuSegment>(&node.segment);
      if (gpu == nullptr) continue;
      if (simplification.half_the_gpu_time) {
        gpu->work = {gpu->work.best / 2, gpu->work.worst / 2};
        gpu->overhead = {gpu->overhead.best / 2, gpu->overhead.worst / 2};
      }
    }
  }
}

/// floor instead of ceil in the upper bound of GPU work.
void round_down(const System& system, const FederatedTask& task, Stages& stages) {
  std::int64_t less = 0;
  for (const Node& node : system.tasks[task.task].work.nodes) {
    const auto* gpu = std::get_if<GpuSegment>(&node.segment);
    if (gpu == nullptr) continue;
    const std::int64_t virtual_sms = *system.virtual_sms[task.task];
    GpuSegment later = *gpu;
    later.overhead = {};
    const Int128 exact = static_cast<Int128>(gpu->work.worst.count()) * gpu->interleave.numerator() -
                         static_cast<Int128>(gpu->overhead.worst.count()) * gpu->interleave.denominator();
    less += exact % (static_cast<Int128>(gpu->interleave.denominator()) * virtual_sms) != 0 ? 1 : 0;
  }
  for (Stage& stage : stages) {
    if (stage.server != ServerKind::gpu || less == 0) continue;
    stage.time.worst -= Duration{less};
    less = 0;
  }
}

/// The copy overhead once for each stage.
void pay_once(Duration overhead, Stages& stages) {
  for (Stage& stage : stages) {
    if (stage.server == ServerKind::copy) stage.time.worst -= overhead * (stage.chunks - 1);
  }
}

}  // namespace

std::vector<std::optional<Duration>> chain_bounds(const System& given, const Simplification& simplification) {
  System system = given;
  change_gpu(system, simplification);
  const FederatedTasks tasks = analysis::federated_tasks(system, analysis::StageTable::as_given);
  std::vector<std::optional<Duration>> bounds(system.tasks.size());
  std::vector<Above> above;
  for (std::size_t i = 0; i < tasks.tasks.size(); ++i) {
    const FederatedTask& task = tasks.tasks[i];
    Stages stages = task.stages[static_cast<std::size_t>(*task.sms)];
    if (simplification.gpu_rounded_down) round_down(system, task, stages);
    if (simplification.one_overhead_a_copy) pay_once(system.platform.overheads.copy, stages);
    if (task.jitter > task.deadline) return bounds;
    const std::int64_t blocking = blocking_of(system, tasks, i, simplification);
    const auto response = Bound{task, stages, above, blocking, simplification}.find();
    if (!response || *response > in_ns(task.deadline - task.jitter)) return bounds;
    const Duration with_jitter = Duration{*response} + task.jitter;
    bounds[task.task] = simplification.no_jitter ? Duration{*response} : with_jitter;
    above.push_back({&task, stages, simplification.no_jitter_above ? *response : in_ns(with_jitter)});
  }
  return bounds;
}

namespace {

using Bounds = std::vector<std::optional<Duration>>;

analysis::Analysis with_bounds(std::function<Bounds(const System&)> bounds_of) {
  analysis::Analysis mutant = *analysis::find("rtgpu");
  mutant.run = [bounds_of = std::move(bounds_of)](const System& system) {
    analysis::Result result;
    const Bounds bounds = bounds_of(system);
    bool all = true;
    for (std::size_t i = 0; i < system.tasks.size(); ++i) {
      const Task& task = system.tasks[i];
      const bool ok = task.arrival == Arrival::best_effort || bounds[i].has_value();
      all = all && ok;
      result.tasks.push_back({task.name, task.deadline, bounds[i], ok});
    }
    result.verdict = all ? analysis::Verdict::schedulable : analysis::Verdict::unproven;
    return result;
  };
  return mutant;
}

/// Every issued copy of less urgent tasks once, the longest first, summed up.
std::vector<Duration> each_copy_once(const FederatedTasks& tasks, std::size_t index) {
  std::vector<Duration> copies;
  for (std::size_t i = index + 1; i < tasks.tasks.size(); ++i) {
    for (const Stage& stage : tasks.tasks[i].stages.back()) {
      if (stage.server == ServerKind::copy) copies.push_back(stage.longest_chunk);
    }
  }
  std::sort(copies.rbegin(), copies.rend());
  std::vector<Duration> sums{Duration{}};
  for (const Duration copy : copies) sums.push_back(sums.back() + copy);
  return sums;
}

Bounds tight_bounds(const System& system, const TightSimplification& simplification) {
  const FederatedTasks tasks = analysis::federated_tasks(system, analysis::StageTable::as_given);
  Bounds bounds(system.tasks.size());
  std::vector<analysis::ChainAbove> above;
  above.reserve(tasks.tasks.size());
  for (std::size_t i = 0; i < tasks.tasks.size(); ++i) {
    const FederatedTask& task = tasks.tasks[i];
    const Stages& stages = task.stages[static_cast<std::size_t>(*task.sms)];
    if (task.jitter > task.deadline) return bounds;
    std::vector<Duration> blocked = analysis::copies_blocked(tasks, i, analysis::LessUrgent::in_time);
    const std::vector<Duration> once = each_copy_once(tasks, i);
    for (std::size_t m = 1; m < blocked.size(); ++m) {
      if (simplification.never_blocked) blocked[m] = {};
      if (simplification.each_copy_once)
        blocked[m] = std::min(blocked[m], once[std::min(m, once.size() - 1)]);
    }
    const auto response = analysis::ChainGroups{task, above, blocked}.bound(stages).length;
    if (!response || *response > task.deadline - task.jitter) return bounds;
    bounds[task.task] = *response + task.jitter;
    Duration least{};
    for (const Stage& stage : stages) least += stage.time.worst;
    above.emplace_back(task, stages,
                       simplification.no_carry_in ? std::min(least, *response) : *bounds[task.task]);
  }
  return bounds;
}

}  // namespace

analysis::Analysis simplified_rtgpu(const Simplification& simplification) {
  return with_bounds([simplification](const System& system) { return chain_bounds(system, simplification); });
}

analysis::Analysis simplified_tight(const TightSimplification& simplification) {
  return with_bounds([simplification](const System& system) { return tight_bounds(system, simplification); });
}

analysis::Analysis mistaken_tight(const TightMistake& mistake) {
  return with_bounds([mistake](const System& system) { return tight_bounds_plainly(system, mistake); });
}

}  // namespace tactus::test
