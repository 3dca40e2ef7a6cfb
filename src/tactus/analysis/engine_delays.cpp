#include "tactus/analysis/engine_delays.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <variant>

#include "tactus/model/dispatch.hpp"

namespace tactus::analysis {

namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

/// Where segments are issued one by one, CPU work and copies that take no time are not.
bool is_issued(const Node& node) {
  return server_of(node.segment) == ServerKind::gpu || drawn_time(node.segment).worst > Duration{};
}

/// It is asked to stop once a unit.
void add_stop(const System& system, EngineTask& task) {
  const Duration stop = system.platform.overheads.engine.submit;
  task.submission = checked_add(task.submission, stop);
  task.longest = std::max(task.longest, stop);
}

std::int64_t pieces_of(const System& system, const Node& node) {
  const auto* copy = std::get_if<CopySegment>(&node.segment);
  return copy == nullptr ? 1 : chunks_of(*copy, system.platform.gpu).count;
}

/// How many slices a job has under `sm-cores`.
std::int64_t slices_of(const System& system, const Task& task, const Node& node, std::int64_t sms) {
  if (const auto* kernel = std::get_if<KernelSegment>(&node.segment)) {
    return waves_of(*kernel, system.platform.gpu, sms);
  }
  const auto* exclusive = std::get_if<ExclusiveSegment>(&node.segment);
  if (exclusive == nullptr) return 1;
  const Duration time = exclusive->time.worst;
  const Duration block = std::min(time, task.longest_block.value_or(time));
  return block > Duration{} ? ceil_div(time.count(), block.count()) : 1;
}

/// All segments of a job together.
void add_whole_job(const System& system, const Task& task, EngineTask& result) {
  result.operations = static_cast<std::int64_t>(task.work.nodes.size());
  for (const std::size_t place : topological_order(task.work)) {
    const Node& node = task.work.nodes[place];
    result.last = submission_time(system, result.task, server_of(node.segment));
    result.longest = std::max(result.longest, result.last);
    result.submission = checked_add(result.submission, result.last);
    result.least_time = checked_add(result.least_time, execution_time(system, result.task, place).best);
  }
}

/// Segments or slices one by one: the longest of all counts for each.
void add_parts(const System& system, const Task& task, EngineUnit unit, EngineTask& result) {
  result.units = 0;
  result.least_time = Duration::max();
  for (std::size_t place = 0; place < task.work.nodes.size(); ++place) {
    const Node& node = task.work.nodes[place];
    if (!is_issued(node)) continue;
    const std::int64_t parts = unit == EngineUnit::slice
                                   ? slices_of(system, task, node, sm_count(system, result.task, node))
                                   : pieces_of(system, node);
    result.units = checked_add(result.units, parts);
    result.longest = std::max(result.longest, submission_time(system, result.task, server_of(node.segment)));
    // The last slice or piece may be as short as one likes; of a kernel each is one block.
    const bool is_known = parts == 1 || std::holds_alternative<KernelSegment>(node.segment);
    const Duration least = is_known ? execution_time(system, result.task, place).best : Duration{};
    result.least_time = std::min(result.least_time, least);
  }
  if (result.units == 0) result.least_time = {};
  result.submission = result.last = result.longest;
}

EngineTask engine_task(const System& system, TaskIndex index, EngineUnit unit) {
  const Task& task = system.tasks[index];
  EngineTask result{.task = index, .best_effort = task.arrival == Arrival::best_effort};
  if (repeats(task)) {
    result.period = *task.period;
    result.deadline = *task.deadline;
    result.jitter = checked_add(system.platform.overheads.release, task.jitter);
  }
  if (unit == EngineUnit::job && !result.best_effort) {
    add_whole_job(system, task, result);
  } else {
    add_parts(system, task, unit, result);
  }
  if (result.best_effort) result.units = 1;
  const bool stops_at_blocks = task.preemptible && unit == EngineUnit::job;
  result.may_be_stopped = task.longest_block == Duration{} || stops_at_blocks;
  if (unit == EngineUnit::job && !result.best_effort) result.may_be_stopped = false;  // it is not stopped
  if (result.best_effort && result.may_be_stopped) add_stop(system, result);
  return result;
}

/// The core of a task; -1 for all SMs.
std::int32_t core_or_all(const Task& task) {
  return task.sm.kind == SmAffinity::Kind::one ? task.sm.core : -1;
}

/// A core with work that can be stopped anywhere: every job of it counts what goes on after it, too.
void count_stops(const System& system, EngineLoad& load) {
  std::map<std::int32_t, EngineTask> cores;  // the longest submission of each
  for (const EngineTask& task : load.tasks) {
    EngineTask& core = cores[core_or_all(system.tasks[task.task])];
    core.may_be_stopped = core.may_be_stopped || task.may_be_stopped;
    core.submission = std::max(core.submission, task.last);
  }
  for (EngineTask& task : load.tasks) {
    const EngineTask& core = cores[core_or_all(system.tasks[task.task])];
    if (task.best_effort || !core.may_be_stopped) continue;
    task.units = checked_add(task.units, 1);
    task.submission = core.submission;
    task.least_time = {};
    add_stop(system, task);
  }
  const Reservations* reservations = windows_of(system);
  if (reservations == nullptr) return;
  for (auto& [core, edge] : cores) {
    if (!edge.may_be_stopped) continue;
    edge.period = edge.deadline = reservations->period;
    edge.units = 2;
    add_stop(system, edge);
    load.edges.push_back(edge);
  }
}

/// How many operations of the task are under way at once.
std::int64_t operations_at_once(const System& system, const EngineTask& task, EngineUnit unit) {
  const Work& work = system.tasks[task.task].work;
  const bool side_by_side = unit == EngineUnit::segment && work.form == WorkForm::graph;
  return side_by_side ? static_cast<std::int64_t>(work.nodes.size()) : task.operations;
}

/// How many jobs the GPU has at once, where it takes them whole.
std::int32_t levels_of(const System& system) {
  return system.policy.strategy->has_levels ? system.policy.levels : 1;
}

std::int64_t most_under_way(const System& system, const std::vector<EngineTask>& tasks, EngineUnit unit) {
  std::vector<std::int64_t> each;
  std::set<std::int32_t> cores;
  for (const EngineTask& task : tasks) {
    each.push_back(operations_at_once(system, task, unit));
    cores.insert(core_or_all(system.tasks[task.task]));
  }
  if (unit == EngineUnit::slice) return static_cast<std::int64_t>(cores.size());
  if (unit == EngineUnit::job) {  // one job in each level
    std::sort(each.begin(), each.end(), std::greater<>{});
    each.resize(std::min(each.size(), static_cast<std::size_t>(levels_of(system))));
  }
  std::int64_t sum = 0;
  for (const std::int64_t operations : each) sum = checked_add(sum, operations);
  return sum;
}

/// Edges of windows come by timers.
void add_edges(const System& system, std::vector<EngineSource>& sources) {
  const Reservations* reservations = windows_of(system);
  if (reservations == nullptr) return;
  for (const std::optional<Window>& window : {reservations->local, reservations->all}) {
    if (!window || window->budget == Duration{} || window->budget == reservations->period) continue;
    const EngineSource edge{reservations->period, system.platform.overheads.release};
    sources.insert(sources.end(), {edge, edge});  // it opens and closes
  }
}

std::vector<EngineSource> sources_of(const System& system, const std::vector<EngineTask>& tasks) {
  std::vector<EngineSource> sources;
  for (const EngineTask& task : tasks) {
    if (task.best_effort || task.period == Duration{}) continue;
    sources.push_back({task.period, task.jitter});
    const Task& description = system.tasks[task.task];
    const EngineSource within_job{task.period, checked_add(task.jitter, task.deadline)};
    if (description.budget) sources.push_back(within_job);
    if (description.on_miss == OnMiss::skip_next) sources.push_back(within_job);
  }
  add_edges(system, sources);
  return sources;
}

bool may_be_more_urgent(const EngineLoad& load, std::size_t other, std::size_t place) {
  if (load.one_server || other == place || load.tasks[other].best_effort) return false;
  return load.tasks[place].best_effort || !load.by_priority || other < place;
}

/// The request to stop that a job has to make before its own submission, if there is one.
Duration stop_of(const EngineLoad& load, const EngineTask& task) {
  return task.best_effort && !load.one_server ? task.submission - task.last : Duration{};
}

/// m: units of another task that are submitted within an interval of length q.
std::int64_t units_within(const EngineTask& task, std::int64_t q, bool in_time) {
  const auto jobs =
      static_cast<std::int64_t>((static_cast<Int128>(q) + task.deadline.count()) / task.period.count() + 1);
  std::int64_t units = 0;
  if (!in_time || __builtin_mul_overflow(task.units, jobs, &units)) units = largest;
  return task.least_time > Duration{} ? std::min(units, q / task.least_time.count() + 1) : units;
}

}  // namespace

bool uses_engine(const System& system, TaskIndex task) { return !is_resident(system, system.tasks[task]); }

EngineLoad engine_load(const System& system, EngineUnit unit) {
  EngineLoad load{.event = system.platform.overheads.engine.event};
  load.one_server = unit == EngineUnit::job && levels_of(system) == 1;
  load.by_priority = system.policy.order == Order::fp;
  for (const TaskIndex index : urgency_order(system)) {
    if (uses_engine(system, index)) load.tasks.push_back(engine_task(system, index, unit));
  }
  std::stable_partition(load.tasks.begin(), load.tasks.end(),
                        [](const EngineTask& task) { return !task.best_effort; });
  load.stop = system.platform.overheads.engine.submit;
  if (unit == EngineUnit::slice) count_stops(system, load);
  for (const EngineTask& task : load.tasks) load.longest = std::max(load.longest, task.longest);
  load.under_way = most_under_way(system, load.tasks, unit);
  load.sources = sources_of(system, load.tasks);
  if (unit == EngineUnit::segment) return load;
  load.first_releases = std::count_if(load.tasks.begin(), load.tasks.end(),
                                      [](const EngineTask& task) { return task.best_effort; });
  return load;
}

std::optional<Duration> until_decided(const EngineLoad& load, Duration submission) {
  if (load.event == Duration{}) return submission;
  Interference events{load.sources.size()};
  add_events(events, load, Duration{}, End::closed);
  if (events.compare_utilisation({1, 1}) >= 0) return std::nullopt;
  const Int128 others = static_cast<Int128>(load.under_way) + load.first_releases;
  const Int128 work = load.event.count() * others + submission.count();
  if (load.sources.empty()) return Duration{static_cast<std::int64_t>(work)};
  const FixedPoint burst = events.min_length(work, End::closed, SupplyBound::always(), largest / 2);
  if (!burst.found()) return std::nullopt;
  return Duration{burst.length};
}

std::optional<Duration> until_last_submission(const EngineLoad& load, std::size_t place, Duration limit) {
  constexpr int max_rounds = 100'000;
  const EngineTask& own = load.tasks[place];
  const Duration before_last = own.submission - own.last;
  Duration others{};
  for (std::size_t i = 0; i < load.tasks.size(); ++i) {
    if (may_be_more_urgent(load, i, place)) {
      others = checked_add(others, load.tasks[i].submission);
    } else if (i != place) {
      others = checked_add(others, stop_of(load, load.tasks[i]));
    }
  }
  for (const EngineTask& edge : load.edges) others = checked_add(others, edge.submission);
  if (before_last == Duration{} && others == Duration{}) return Duration{};
  const Int128 known = static_cast<Int128>(own.operations) + load.first_releases;
  Int128 fixed = before_last.count() + known * load.event.count();
  for (std::size_t i = 0; i < load.tasks.size() && !load.one_server; ++i) {
    if (i == place || may_be_more_urgent(load, i, place)) continue;
    // A unit that is under way, and what is asked to stop.
    fixed += static_cast<Int128>(load.tasks[i].operations) * load.event.count();
    fixed += stop_of(load, load.tasks[i]).count();
  }
  Interference events{load.sources.size()};
  if (load.event > Duration{}) add_events(events, load, Duration{}, End::closed);
  std::int64_t q = 0;
  for (int round = 0; round < max_rounds; ++round) {
    Int128 next = fixed + events.in(q, End::closed);
    for (std::size_t i = 0; i < load.tasks.size(); ++i) {
      if (!may_be_more_urgent(load, i, place)) continue;
      const Int128 each = engine_work(load, load.tasks[i]).count();
      next += each * units_within(load.tasks[i], q, load.all_in_time);
    }
    for (const EngineTask& edge : load.edges) {
      next += static_cast<Int128>(engine_work(load, edge).count()) * units_within(edge, q, true);
    }
    if (next > limit.count()) return std::nullopt;
    if (next == q) return Duration{q};
    q = static_cast<std::int64_t>(next);
  }
  return std::nullopt;
}

void add_events(Interference& interference, const EngineLoad& load, Duration earlier, End end) {
  if (load.event == Duration{}) return;
  // ceil((t + 1ns)/T) is floor(t/T) + 1.
  const Duration at_end{end == End::open ? 1 : 0};
  for (const EngineSource& source : load.sources) {
    interference.add_events(load.event, source.period,
                            checked_add(checked_add(source.jitter, earlier), at_end));
  }
}

Duration longest_below(const EngineLoad& load, std::size_t place) {
  Duration longest{};
  for (std::size_t i = 0; i < load.tasks.size(); ++i) {
    const bool is_below = load.by_priority ? i > place : i != place;
    if (is_below) longest = std::max(longest, load.tasks[i].longest);
  }
  return longest;
}

Duration once_below(const EngineLoad& load, std::size_t place, std::size_t count) {
  std::vector<Duration> each;
  for (std::size_t i = load.by_priority ? place + 1 : 0; i < load.tasks.size(); ++i) {
    each.push_back(engine_work(load, load.tasks[i]));
  }
  std::sort(each.begin(), each.end(), std::greater<>{});
  Duration sum = checked_mul(load.event, load.first_releases);
  for (std::size_t i = 0; i < std::min(count, each.size()); ++i) sum = checked_add(sum, each[i]);
  return sum;
}

Duration engine_work(const EngineLoad& load, const EngineTask& task) {
  return checked_add(task.submission, checked_mul(load.event, task.operations));
}

}  // namespace tactus::analysis
