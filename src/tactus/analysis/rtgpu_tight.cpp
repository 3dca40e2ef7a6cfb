#include "tactus/analysis/rtgpu_tight.hpp"

#include <numeric>
#include <span>
#include <utility>

#include "tactus/analysis/chain_groups.hpp"
#include "tactus/analysis/federated_judge.hpp"
#include "tactus/analysis/sm_allocation.hpp"
#include "tactus/base/text.hpp"

namespace tactus::analysis {

namespace {

using Sms = std::vector<std::int64_t>;  // of each task, most urgent first

/// By place in the order of urgency, as FederatedAnswer.
struct Answer {
  std::vector<std::optional<Duration>> bounds;
  std::optional<std::size_t> fails;
};

std::optional<Duration> response_of(const FederatedTasks& tasks, std::size_t index, const Stages& stages,
                                    std::span<const ChainAbove> above, LessUrgent less_urgent) {
  const FederatedTask& task = tasks.tasks[index];
  if (task.jitter > task.deadline) return std::nullopt;
  const ChainGroups groups{task, above, copies_blocked(tasks, index, less_urgent)};
  const std::optional<Duration> bound = groups.bound(stages);
  if (!bound || *bound > task.period - task.jitter) return std::nullopt;
  return *bound + task.jitter;
}

Answer bound_all(const FederatedTasks& tasks, const Sms& sms, LessUrgent less_urgent) {
  Answer answer;
  answer.bounds.resize(tasks.tasks.size());
  std::vector<ChainAbove> above;
  above.reserve(tasks.tasks.size());
  for (std::size_t i = 0; i < tasks.tasks.size(); ++i) {
    const FederatedTask& task = tasks.tasks[i];
    const Stages& stages = task.stages[static_cast<std::size_t>(sms[i])];
    answer.bounds[i] = response_of(tasks, i, stages, above, less_urgent);
    if (!answer.bounds[i] || *answer.bounds[i] > task.deadline) {
      answer.fails = i;
      return answer;
    }
    above.emplace_back(task, stages, *answer.bounds[i]);
  }
  return answer;
}

/// That a less urgent task keeps its deadline may be used only if all do.
Answer bound_soundly(const FederatedTasks& tasks, const Sms& sms) {
  Answer answer = bound_all(tasks, sms, LessUrgent::in_time);
  return answer.fails ? bound_all(tasks, sms, LessUrgent::anything) : answer;
}

/// Tries divisions of the SMs in lexicographic order.
class Divisions {
 public:
  explicit Divisions(const FederatedTasks& tasks) : tasks_{tasks}, sms_(tasks.tasks.size()) {
    above_.reserve(tasks.tasks.size());
    for (const FederatedTask& task : tasks.tasks) least_.push_back(least_sms(task));
  }

  std::optional<Sms> run() {
    const std::int64_t needed = std::accumulate(least_.begin(), least_.end(), std::int64_t{0});
    if (needed > tasks_.sms || !place(0, tasks_.sms - needed)) return std::nullopt;
    return sms_;
  }

  [[nodiscard]] bool gave_up() const { return effort_ >= most_bounds; }

 private:
  static constexpr std::int64_t most_bounds = 2000;

  /// Without any disturbance the job must end in time.
  [[nodiscard]] std::int64_t least_sms(const FederatedTask& task) const {
    if (task.sms) return *task.sms;
    for (std::int64_t sms = 1; sms <= tasks_.sms; ++sms) {
      Duration sum = task.jitter;
      for (const Stage& stage : task.stages[static_cast<std::size_t>(sms)]) {
        sum = checked_add(sum, stage.time.worst);
      }
      if (sum <= task.deadline) return sms;
    }
    return tasks_.sms + 1;
  }

  /// Tasks from `index` on, with so many SMs beyond the least that they need.
  bool place(std::size_t index, std::int64_t spare) {
    if (index == tasks_.tasks.size()) return true;
    const FederatedTask& task = tasks_.tasks[index];
    const std::int64_t most = task.sms ? *task.sms : least_[index] + spare;
    for (std::int64_t sms = least_[index]; sms <= most; ++sms) {
      if (gave_up()) return false;
      ++effort_;
      const Stages& stages = task.stages[static_cast<std::size_t>(sms)];
      const auto response = response_of(tasks_, index, stages, above_, LessUrgent::in_time);
      if (!response || *response > task.deadline) continue;
      sms_[index] = sms;
      above_.emplace_back(task, stages, *response);
      if (place(index + 1, spare - (sms - least_[index]))) return true;
      above_.pop_back();
    }
    return false;
  }

  const FederatedTasks& tasks_;
  Sms sms_;
  Sms least_;
  std::vector<ChainAbove> above_;
  std::int64_t effort_ = 0;
};

void tell_bounds(const FederatedTasks& tasks, const Answer& answer, Result& result) {
  for (std::size_t i = 0; i < tasks.tasks.size(); ++i) {
    TaskResult& entry = result.tasks[tasks.tasks[i].task];
    entry.bound = answer.bounds[i];
    entry.ok = !answer.fails || i < *answer.fails;
  }
}

void tell_failure(const System& system, Result& result, Verdict verdict, Witness witness) {
  if (std::optional<Witness> overload = federated_overload(system)) {
    verdict = Verdict::unschedulable;
    witness = *std::move(overload);
  }
  result.verdict = verdict;
  result.reason = std::move(witness.reason);
  result.detail = std::move(witness.detail);
}

Witness failing_task(const System& system, const FederatedTasks& tasks, const Answer& answer) {
  const FederatedTask& task = tasks.tasks[*answer.fails];
  const std::string& name = system.tasks[task.task].name;
  const std::optional<Duration>& bound = answer.bounds[*answer.fails];
  Witness witness;
  witness.reason = "the response of '" + name + "' may pass its deadline of " + to_text(task.deadline) +
                   ", however its chain is divided into groups of segments";
  if (bound) witness.reason += "; its bound is " + to_text(*bound);
  witness.detail = {
      {"task", name}, {"deadline_ns", task.deadline.count()}, {"jitter_ns", task.jitter.count()}};
  return witness;
}

Result judge_given(const System& system, const FederatedTasks& tasks) {
  Result result = unjudged(system);
  const Answer answer = bound_soundly(tasks, given_sms(tasks));
  tell_bounds(tasks, answer, result);
  if (answer.fails) {
    tell_failure(system, result, Verdict::unproven, failing_task(system, tasks, answer));
    return result;
  }
  result.verdict = Verdict::schedulable;
  result.reason = "every response time stays within its deadline";
  return result;
}

Result judge_any_division(const System& system, const FederatedTasks& tasks) {
  Result result = unjudged(system);
  std::optional<Sms> sms;
  bool gave_up = false;
  if (const auto allocation = find_allocation(tasks, FederatedTest::rtgpu, tasks.sms)) {
    sms = allocation->sms;
  } else {
    Divisions divisions{tasks};
    sms = divisions.run();
    gave_up = !sms && divisions.gave_up();
  }
  if (!sms) {
    Witness witness;
    witness.reason = gave_up ? "the search for a division of the SMs reached its limit"
                             : "with no division of the SMs every response time stays within its deadline";
    witness.detail = {{"virtual_sms", nullptr}, {"sms", tasks.sms}};
    tell_failure(system, result, gave_up ? Verdict::gave_up : Verdict::unproven, std::move(witness));
    return result;
  }
  tell_bounds(tasks, bound_soundly(tasks, *sms), result);
  result.verdict = Verdict::schedulable;
  result.reason = "every response time stays within its deadline on these SMs";
  result.detail["virtual_sms"] = virtual_sms_json(system, tasks, *sms);
  return result;
}

}  // namespace

Result rtgpu_tight(const System& system) {
  const FederatedTasks tasks = federated_tasks(system, StageTable::as_given);
  if (!tasks.why_not.empty()) return does_not_apply(tasks.why_not);
  if (tasks.complete) return judge_given(system, tasks);
  return judge_any_division(system, federated_tasks(system, StageTable::every_number));
}

Analysis rtgpu_tight_analysis() {
  return {.id = "rtgpu-tight",
          .title = "Chains over CPU, copies and SMs of their own, by groups of segments",
          .source = "ours, after RTGPU, section 5",
          .needs = "federated; chains of periodic or sporadic tasks, deadlines no longer than periods",
          .kind = Kind::sufficient,
          .sound = true,
          .run = rtgpu_tight};
}

}  // namespace tactus::analysis
