#include "tactus/plan/hints.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

#include "tactus/base/exact.hpp"
#include "tactus/model/core_times.hpp"
#include "tactus/model/validate.hpp"
#include "tactus/plan/acceptance.hpp"
#include "tactus/plan/stopped.hpp"

namespace tactus::plan {

using analysis::CheckedAnalysis;
using analysis::CheckResult;

namespace {

constexpr std::int64_t whole = 1000;
constexpr std::int64_t greatest_speed = 10 * whole;  // larger factors are not realistic

// The test that is nearest to accepting.

bool could_prove(const CheckedAnalysis& checked) {
  return counts_for_verdict(checked.analysis) && checked.result.applies() &&
         checked.analysis.kind != analysis::Kind::necessary;
}

/// By how much one test fails, where its result says so.
std::optional<Nearest> failure_of(const CheckedAnalysis& checked) {
  std::optional<Nearest> worst;
  for (const analysis::TaskResult& task : checked.result.tasks) {
    if (!task.bound || !task.deadline || *task.bound <= *task.deadline) continue;
    const Duration by = *task.bound - *task.deadline;
    if (!worst || by > worst->by) worst = Nearest{std::string{checked.analysis.id}, task.name, by};
  }
  if (worst) return worst;
  if (!checked.result.excess) return std::nullopt;
  return Nearest{std::string{checked.analysis.id}, {}, *checked.result.excess};
}

std::optional<Nearest> find_nearest(const CheckResult& result) {
  std::optional<Nearest> nearest;
  for (const CheckedAnalysis& checked : result.analyses) {
    if (!could_prove(checked)) continue;
    std::optional<Nearest> failure = failure_of(checked);
    if (failure && (!nearest || failure->by < nearest->by)) nearest = std::move(failure);
  }
  return nearest;
}

// Single changes.

/// The analysis that proves the system; empty where none does.
std::string proven_by(const System& system, const Watch& watch) {
  stop_if_asked(watch);
  const CheckResult result = analysis::check(system);
  const analysis::Analysis* accepting = accepting_analysis(result);
  return accepting == nullptr ? std::string{} : std::string{accepting->id};
}

Duration scaled(Duration time, std::int64_t thousandths, bool up) {
  const Int128 product = static_cast<Int128>(time.count()) * whole;
  return Duration{static_cast<std::int64_t>((product + (up ? thousandths - 1 : 0)) / thousandths)};
}

Interval scaled(const Interval& time, std::int64_t thousandths) {
  return {scaled(time.best, thousandths, false), scaled(time.worst, thousandths, true)};
}

void scale_segment(Segment& segment, const Gpu& gpu, std::int64_t thousandths) {
  if (auto* copy = std::get_if<CopySegment>(&segment); copy != nullptr && copy->bytes) {
    // Its time follows from the bandwidth, which was scaled.
    if (const std::optional<Duration> time = copy_time(*copy->bytes, *gpu.copy_bandwidth)) {
      copy->time = Interval::exactly(*time);
    }
    return;
  }
  drawn_time(segment) = scaled(drawn_time(segment), thousandths);
  if (auto* cpu = std::get_if<CpuSegment>(&segment)) {
    for (CoreTime& one : cpu->by_core) one.time = scaled(one.time, thousandths);
  }
  if (auto* work = std::get_if<GpuSegment>(&segment)) work->overhead = scaled(work->overhead, thousandths);
}

/// Rounded up to three digits, but not beyond the limit.
Duration rounded_up(Duration value, Duration limit) {
  std::int64_t unit = 1;
  while (value.count() / unit >= whole) unit *= 10;
  const Int128 rounded = (static_cast<Int128>(value.count()) + unit - 1) / unit * unit;
  return rounded > limit.count() ? value : Duration{static_cast<std::int64_t>(rounded)};
}

/// The longest deadline that analyses take. Where nodes are timed deadlines may exceed periods.
std::optional<Duration> longest_deadline(const Task& task, const Policy& policy) {
  constexpr std::int64_t times = 1000;
  if (!task.deadline || task.arrival == Arrival::best_effort) return std::nullopt;
  if (repeats(task) && !policy.strategy->times_nodes) return task.period;
  const Int128 limit = static_cast<Int128>(task.deadline->count()) * times;
  if (limit > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return Duration{static_cast<std::int64_t>(limit)};
}

std::optional<DeadlineHint> find_deadline(const System& system, std::size_t index, const Watch& watch) {
  System changed = system;
  Task& task = changed.tasks[index];
  const std::optional<Duration> longest = longest_deadline(task, system.policy);
  if (!longest || *longest <= *task.deadline) return std::nullopt;
  const auto holds_with = [&](Duration deadline) {
    task.deadline = deadline;
    return proven_by(changed, watch);
  };
  DeadlineHint hint{index, *longest, holds_with(*longest)};
  if (hint.analysis.empty()) return std::nullopt;
  Duration fails = *system.tasks[index].deadline;
  while (hint.deadline - fails > Duration{1}) {
    const Duration middle = fails + (hint.deadline - fails) / 2;
    std::string analysis = holds_with(middle);
    if (analysis.empty()) {
      fails = middle;
    } else {
      hint.deadline = middle;
      hint.analysis = std::move(analysis);
    }
  }
  // A round number is easier to remember, if it holds too.
  const Duration round = rounded_up(hint.deadline, *longest);
  if (std::string analysis = holds_with(round); !analysis.empty()) {
    hint.deadline = round;
    hint.analysis = std::move(analysis);
  }
  return hint;
}

/// Deadlines that exceed periods, at the periods; nothing where there are none or where that does not hold.
std::optional<PeriodsHint> find_periods(const System& system, const Watch& watch) {
  System changed = system;
  PeriodsHint hint;
  for (std::size_t i = 0; i < changed.tasks.size(); ++i) {
    Task& task = changed.tasks[i];
    if (!repeats(task) || !task.deadline || !task.period || *task.deadline <= *task.period) continue;
    task.deadline = task.period;
    hint.tasks.push_back(i);
  }
  if (hint.tasks.empty()) return std::nullopt;
  hint.analysis = proven_by(changed, watch);
  if (hint.analysis.empty()) return std::nullopt;
  return hint;
}

std::optional<SpeedHint> find_speed(const System& system, const Watch& watch) {
  std::int64_t fails = whole;
  SpeedHint hint;
  for (std::int64_t speed = whole + whole / 4; hint.analysis.empty(); speed *= 2) {
    if (speed > greatest_speed) return std::nullopt;
    hint = {speed, proven_by(at_speed(system, speed), watch)};
    if (hint.analysis.empty()) fails = speed;
  }
  while (hint.thousandths - fails > std::max<std::int64_t>(1, hint.thousandths / whole)) {
    const std::int64_t middle = fails + (hint.thousandths - fails) / 2;
    std::string analysis = proven_by(at_speed(system, middle), watch);
    if (analysis.empty()) {
      fails = middle;
    } else {
      hint = {middle, std::move(analysis)};
    }
  }
  return hint;
}

/// Tasks that are late by the nearest test come first; of many, only the first are tried.
std::vector<std::size_t> tasks_to_relax(const System& system, const Hints& hints) {
  constexpr std::size_t most = 8;
  std::vector<std::size_t> tasks;
  for (std::size_t i = 0; i < system.tasks.size(); ++i) tasks.push_back(i);
  std::stable_partition(tasks.begin(), tasks.end(), [&](std::size_t i) {
    return hints.nearest && system.tasks[i].name == hints.nearest->task;
  });
  tasks.resize(std::min(tasks.size(), most));
  return tasks;
}

void apply(const DispatchHint::Change& change, System& system) {
  Task& task = system.tasks[change.task];
  task.dispatch = change.dispatch;
  if (change.drops_launcher) task.launcher = false;
}

/// The way to the GPU that adds least, of those that the task may have and the platform has times of.
std::optional<DispatchHint::Change> better_dispatch(const System& system, std::size_t index) {
  const Overheads& overheads = system.platform.overheads;
  const Dispatch now = system.tasks[index].dispatch;
  for (const Dispatch dispatch : {Dispatch::resident, Dispatch::doorbell}) {
    const bool has_times = dispatch == Dispatch::resident ? overheads.resident.has_value()
                                                          : overheads.doorbell && now == Dispatch::launch;
    if (dispatch == now || !has_times) continue;
    const DispatchHint::Change change{index, dispatch, system.tasks[index].launcher};
    System changed = system;
    apply(change, changed);
    if (validate(changed).empty()) return change;
  }
  return std::nullopt;
}

/// Of one task; where that never suffices, of all that may have one. `prove` names the analysis that accepts.
template <class Prove>
void try_dispatches(Hints& hints, const System& system, bool planned, const Watch& watch,
                    const Prove& prove) {
  if (system.policy.strategy->sms != SmSharing::owned) return;
  for (const std::size_t index : tasks_to_relax(system, hints)) {
    const std::optional<DispatchHint::Change> change = better_dispatch(system, index);
    if (!change) continue;
    hints.tried_dispatches = true;
    System changed = system;
    apply(*change, changed);
    if (std::string analysis = prove(changed); !analysis.empty()) {
      hints.dispatches.push_back({{*change}, planned, std::move(analysis)});
    }
  }
  if (!hints.dispatches.empty()) return;
  DispatchHint all;
  all.planned = planned;
  System changed = system;
  for (std::size_t index = 0; index < system.tasks.size(); ++index) {
    stop_if_asked(watch);
    const std::optional<DispatchHint::Change> change = better_dispatch(system, index);
    if (!change) continue;
    apply(*change, changed);
    all.changes.push_back(*change);
  }
  const bool is_new = all.changes.size() > 1 || !hints.tried_dispatches;
  if (all.changes.empty() || !is_new) return;
  hints.tried_dispatches = true;
  all.analysis = prove(changed);
  if (!all.analysis.empty()) hints.dispatches.push_back(std::move(all));
}

/// With parameters that `plan` chooses.
std::string planned_by(Hints& hints, const System& system, const Watch& watch) {
  stop_if_asked(watch);
  const Plan found = plan(system, watch, {.measures_shrink = false});
  hints.stopped = hints.stopped || (found.interrupted && !found.found);
  return found.found ? found.accepted_by : std::string{};
}

/// Under the strategy of the file, with the CPU work of all tasks on any core.
void try_cores(Hints& hints, const System& system, const Watch& watch) {
  const bool own_way_holds =
      std::any_of(hints.ways.begin(), hints.ways.end(), [](const WayHint& hint) { return hint.trial.own; });
  const bool has_choice = system.platform.cpus() > 1 && cpu_policy(system.policy).scope != CpuScope::global;
  if (own_way_holds || !has_choice || !is_by_node(system)) return;
  System open = system;
  for (Task& task : open.tasks) task.any_core = true;
  set_core_times(open);
  if (std::string analysis = planned_by(hints, open, watch); !analysis.empty()) {
    hints.cores = CoresHint{std::move(analysis)};
  }
}

/// Other values of what the file says of clusters and parallel jobs; the order is another way. `prove` names
/// the analysis that accepts. What the file leaves open `plan` chooses by itself.
template <class Prove>
void try_policies(Hints& hints, const System& system, bool planned, const Watch& watch, const Prove& prove) {
  const Policy& policy = system.policy;
  if (!policy.strategy->times_nodes) return;
  const auto try_one = [&](PolicyHint hint) {
    System changed = system;
    changed.policy.clusters = hint.clusters.value_or(policy.clusters);
    changed.policy.parallel_jobs = hint.parallel_jobs.value_or(policy.parallel_jobs);
    if (hint.any_core) {
      changed.policy.open.clusters = false;
      for (Task& task : changed.tasks) task.any_core = true;
    }
    set_core_times(changed);
    hint.analysis = hint.any_core ? planned_by(hints, changed, watch) : prove(changed);
    hint.planned = planned || hint.any_core;
    if (!hint.analysis.empty()) hints.policies.push_back(std::move(hint));
  };
  if (!policy.parallel_jobs) try_one({.parallel_jobs = true});
  if (policy.clusters == ClusterMode::per_cluster) {
    try_one({.clusters = ClusterMode::global});
  } else if (!policy.open.clusters && system.platform.clusters.size() > 1) {
    try_one({.clusters = ClusterMode::per_cluster, .any_core = true});
  }
}

void try_ways(Hints& hints, const System& system, const Watch& watch) {
  for (const Way& way : all_ways()) {
    stop_if_asked(watch);
    Trial trial = try_way(system, way, watch);
    hints.stopped = hints.stopped || trial.stopped;
    if (trial.holds()) hints.ways.push_back({std::move(trial)});
  }
}

}  // namespace

System at_speed(const System& system, std::int64_t thousandths) {
  System faster = system;
  Gpu& gpu = faster.platform.gpu;
  if (gpu.copy_bandwidth) {
    const Int128 bandwidth = static_cast<Int128>(*gpu.copy_bandwidth) * thousandths / whole;
    constexpr Int128 largest = std::numeric_limits<std::int64_t>::max();
    gpu.copy_bandwidth = static_cast<std::int64_t>(std::min(bandwidth, largest));
  }
  for (Task& task : faster.tasks) {
    task.jobs.clear();  // scripted times do not scale
    if (task.longest_block) task.longest_block = scaled(*task.longest_block, thousandths, true);
    for (Node& node : task.work.nodes) scale_segment(node.segment, gpu, thousandths);
  }
  return faster;
}

Hints find_hints(const System& system, const CheckResult& result, const Watch& watch) {
  Hints hints;
  hints.nearest = find_nearest(result);
  const bool something_could = std::any_of(result.analyses.begin(), result.analyses.end(), could_prove);
  hints.only_ways = !something_could;
  try {
    if (something_could) {
      for (const std::size_t task : tasks_to_relax(system, hints)) {
        if (std::optional<DeadlineHint> hint = find_deadline(system, task, watch)) {
          hints.deadlines.push_back(*std::move(hint));
        }
      }
      hints.speed = find_speed(system, watch);
      try_dispatches(hints, system, false, watch,
                     [&](const System& changed) { return proven_by(changed, watch); });
    } else {
      hints.periods = find_periods(system, watch);
    }
    try_policies(hints, system, false, watch,
                 [&](const System& changed) { return proven_by(changed, watch); });
    try_ways(hints, system, watch);
    try_cores(hints, system, watch);
  } catch (const SearchStopped&) {
    hints.stopped = true;
  }
  return hints;
}

Hints find_other_ways(const System& system, const Watch& watch) {
  Hints hints;
  hints.only_ways = true;
  try {
    const auto prove = [&](const System& changed) { return planned_by(hints, changed, watch); };
    try_policies(hints, system, true, watch, prove);
    try_ways(hints, system, watch);
    try_dispatches(hints, system, true, watch, prove);
  } catch (const SearchStopped&) {
    hints.stopped = true;
  }
  return hints;
}

}  // namespace tactus::plan
