// rtgpu-tight: as `rtgpu`, but a chain is divided into groups of stages in the best way, CPU and copies of a
// more urgent task are counted together, and a chunk of a copy of a less urgent job blocks once.
//
// Statement: chain_groups.hpp. For every task, most urgent first, R = the least bound over all divisions of
// its chain into groups, X = R + J of the more urgent tasks; the system is schedulable if R + J <= D for all.
// Source: ours, on top of RTGPU, section 5. Assumptions: those of rtgpu. Sound; it never proves less than
// rtgpu. Without given SMs a division that rtgpu accepts is taken; if there is none, all divisions are tried,
// in lexicographic order, as far as a limit on the effort allows.
// Where the engine needs time it is rtgpu: groups do not count that time.
#include "tactus/analysis/analyses.hpp"

#include <numeric>
#include <span>
#include <utility>

#include "tactus/analysis/chain_groups.hpp"
#include "tactus/analysis/effort.hpp"
#include "tactus/analysis/federated_judge.hpp"
#include "tactus/analysis/rtgpu_allocation.hpp"
#include "tactus/base/text.hpp"

namespace tactus::analysis {

namespace {

using Sms = std::vector<std::int64_t>;  // of each task, most urgent first

/// By place in the order of urgency, as FederatedAnswer.
struct Answer {
  std::vector<std::optional<Duration>> bounds;
  std::optional<std::size_t> fails;
  bool gave_up = false;           // it fails because a fixed point was not found
  std::vector<ChainAbove> above;  // the tasks before it
};

struct Response {
  std::optional<Duration> bound;  // R + J, within the period
  bool gave_up = false;
};

Response response_of(const FederatedTasks& tasks, std::size_t index, const Stages& stages,
                     std::span<const ChainAbove> above, LessUrgent less_urgent) {
  const FederatedTask& task = tasks.tasks[index];
  if (task.jitter > task.deadline) return {};
  ChainGroups groups{task, above, copies_blocked(tasks, index, less_urgent)};
  const ChainGroups::Bound bound = groups.bound(stages);
  if (!bound.length || *bound.length > task.period - task.jitter) return {std::nullopt, bound.gave_up};
  return {*bound.length + task.jitter, bound.gave_up};
}

Answer bound_all(const FederatedTasks& tasks, const Sms& sms, LessUrgent less_urgent) {
  foresee_pairs(tasks.tasks.size());
  Answer answer;
  answer.bounds.resize(tasks.tasks.size());
  answer.above.reserve(tasks.tasks.size());
  for (std::size_t i = 0; i < tasks.tasks.size(); ++i) {
    const FederatedTask& task = tasks.tasks[i];
    const Stages& stages = task.stages[static_cast<std::size_t>(sms[i])];
    const Response response = response_of(tasks, i, stages, answer.above, less_urgent);
    answer.bounds[i] = response.bound;
    if (!response.bound || *response.bound > task.deadline) {
      answer.fails = i;
      answer.gave_up = response.gave_up;
      return answer;
    }
    answer.above.emplace_back(task, stages, *response.bound);
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
    for (const FederatedTask& task : tasks.tasks) least_.push_back(min_sms(task));
  }

  std::optional<Sms> run() {
    const std::int64_t needed = std::accumulate(least_.begin(), least_.end(), std::int64_t{0});
    if (needed > tasks_.sms || !place(0, tasks_.sms - needed)) return std::nullopt;
    return sms_;
  }

  static constexpr std::int64_t max_bounds = 2000;
  [[nodiscard]] bool gave_up() const { return effort_ >= max_bounds; }

 private:
  /// The job must meet its deadline when it runs alone.
  [[nodiscard]] std::int64_t min_sms(const FederatedTask& task) const {
    if (task.sms) return *task.sms;
    for (std::int64_t sms = 1; sms <= tasks_.sms; ++sms) {
      const Duration alone = longest_job(task.stages[static_cast<std::size_t>(sms)]);
      if (checked_add(alone, task.jitter) <= task.deadline) return sms;
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
      const auto response = response_of(tasks_, index, stages, above_, LessUrgent::in_time).bound;
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

void tell_failure(const System& system, Result& result, Verdict verdict, Witness witness) {
  if (std::optional<Witness> overload = federated_overload(system)) {
    verdict = Verdict::unschedulable;
    witness = *std::move(overload);
  }
  set_answer(result, verdict, std::move(witness));
}

/// The work of more urgent tasks in an interval as long as the deadline.
Duration tell_interference(const System& system, const FederatedTasks& tasks, const Answer& answer,
                           Detail& detail) {
  const FederatedTask& task = tasks.tasks[*answer.fails];
  const Duration limit = task.deadline - task.jitter;
  detail.push_back({"interval_ns", limit});
  std::vector<Detail> interference;
  Int128 sum = 0;
  for (std::size_t i = 0; i < answer.above.size(); ++i) {
    const ChainAbove& other = answer.above[i];
    const Duration work = (other.core == task.core ? other.both : other.copies).at(limit).work;
    sum += work.count();
    interference.push_back({{"task", system.tasks[tasks.tasks[i].task].name}, {"work_ns", work}});
  }
  detail.push_back({"interference", std::move(interference)});
  return Duration{at_most_64_bits(sum)};
}

Witness failing_task(const System& system, const FederatedTasks& tasks, const Answer& answer,
                     const Sms& sms) {
  const std::size_t index = *answer.fails;
  const FederatedTask& task = tasks.tasks[index];
  const std::string& name = system.tasks[task.task].name;
  const std::optional<Duration>& bound = answer.bounds[index];
  Witness witness;
  witness.detail = {{"task", name}, {"deadline_ns", task.deadline}, {"jitter_ns", task.jitter}};
  if (task.jitter > task.deadline) {
    witness.reason = seen_late(name, task.jitter, task.deadline);
    return witness;
  }
  if (answer.gave_up) {
    const std::string limit = "a fixed point was not found in a million rounds";
    witness.reason = "'" + name + "': " + limit;
    witness.detail.push_back({"limit", limit});
    return witness;
  }
  const OwnWork own{task.stages[static_cast<std::size_t>(sms[index])]};
  const Duration blocked = copies_blocked(tasks, index, LessUrgent::anything).back();
  witness.detail.insert(witness.detail.end(), {{"gpu_ns", own.gpu},
                                               {"cpu_ns", own.cpu},
                                               {"copies_ns", own.copies},
                                               {"copies", own.requests},
                                               {"blocked_ns", blocked}});
  const Duration others = tell_interference(system, tasks, answer, witness.detail);
  witness.reason = "the response of '" + name + "' may pass its deadline of " + to_text(task.deadline) +
                   ", however its chain is divided into groups: " + own_terms(own.cpu, own.copies, own.gpu);
  if (blocked > Duration{}) witness.reason += " + " + to_text(blocked) + " blocking";
  if (others > Duration{}) {
    witness.reason += " + more urgent tasks, which in " + to_text(task.deadline - task.jitter) +
                      " have up to " + to_text(others) + " of work";
  }
  if (task.jitter > Duration{}) witness.reason += " + " + to_text(task.jitter) + " until it is seen";
  if (bound) witness.reason += "; its bound is " + to_text(*bound);
  return witness;
}

Result judge_given(const System& system, const FederatedTasks& tasks) {
  Result result = unjudged(system);
  const Sms sms = given_sms(tasks);
  const Answer answer = bound_soundly(tasks, sms);
  tell_bounds(tasks, answer.bounds, answer.fails, result);
  if (answer.fails) {
    tell_failure(system, result, answer.gave_up ? Verdict::gave_up : Verdict::unproven,
                 failing_task(system, tasks, answer, sms));
    return result;
  }
  set_answer(result, Verdict::schedulable, {"every response time stays within its deadline"});
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
    const std::string limit = "the search for a division of the SMs computed " +
                              with_thousands(static_cast<std::uint64_t>(Divisions::max_bounds)) + " bounds";
    witness.reason =
        gave_up ? limit : "with no division of the SMs every response time stays within its deadline";
    witness.detail = {{"virtual_sms", {}}, {"sms", tasks.sms}};
    if (gave_up) witness.detail.push_back({"limit", limit});
    tell_failure(system, result, gave_up ? Verdict::gave_up : Verdict::unproven, std::move(witness));
    return result;
  }
  const Answer answer = bound_soundly(tasks, *sms);
  tell_bounds(tasks, answer.bounds, answer.fails, result);
  set_answer(result, Verdict::schedulable, {"every response time stays within its deadline on these SMs"});
  tell_division(system, tasks, *sms, result);
  return result;
}

}  // namespace

Result rtgpu_tight(const System& system) {
  if (has_engine_time(system)) return judge_federated(system, FederatedTest::rtgpu, system);
  const FederatedTasks tasks = federated_tasks(system, StageTable::as_given);
  if (!tasks.why_not.empty()) return does_not_apply(tasks.why_not);
  if (tasks.complete) return judge_given(system, tasks);
  return judge_any_division(system, federated_tasks(system, StageTable::every_number));
}

}  // namespace tactus::analysis
