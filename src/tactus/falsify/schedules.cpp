#include "tactus/falsify/schedules.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "tactus/model/dispatch.hpp"

namespace tactus::falsify {

namespace {

/// How one schedule chooses execution times, delays and gaps.
struct Manner {
  std::int64_t random_times = 0;   // percent of jobs that run shorter than they may
  std::int64_t random_delays = 0;  // percent of delays that are drawn
  bool burst = true;               // the first job as late as can be, the others in time
  std::int64_t loose = 0;          // percent of jobs that come later than they could
};

Manner any_manner(Dice& dice) {
  return {.random_times = dice.percent(75) ? 0 : dice.between(10, 100),
          .random_delays = dice.percent(70) ? 0 : dice.between(10, 100),
          .burst = dice.percent(70),
          .loose = dice.percent(70) ? 0 : dice.between(5, 50)};
}

Duration delay(Duration most, const Manner& manner, Dice& dice) {
  return dice.percent(manner.random_delays) ? dice.up_to(most) : most;
}

Duration max_late(const System& system, const Task& task) {
  return task.jitter + dispatch_overheads(system, task).release;
}

/// Everything about a job but its release.
ScriptedJob any_job(const System& system, const Task& task, const Manner& manner, bool first, Dice& dice) {
  const auto index = static_cast<TaskIndex>(&task - system.tasks.data());
  ScriptedJob job;
  const Duration late = max_late(system, task);
  if (manner.burst) {
    job.late = first ? late : Duration{};
  } else {
    job.late = delay(late, manner, dice);
  }
  const Overheads overheads = dispatch_overheads(system, task);
  if (overheads.launch > Duration{}) job.launch = delay(overheads.launch, manner, dice);
  if (overheads.completion > Duration{}) job.completion = delay(overheads.completion, manner, dice);
  for (std::size_t i = 0; i < task.work.nodes.size(); ++i) {
    const Interval range = execution_time(system, index, i);
    job.times.push_back(dice.percent(manner.random_times) ? range.best + dice.up_to(range.worst - range.best)
                                                          : range.worst);
  }
  return job;
}

void script_task(System& system, Task& task, Time first_seen, Time end, const Manner& manner, Dice& dice) {
  constexpr std::size_t max_jobs = 40;
  task.jobs.clear();
  if (task.arrival != Arrival::sporadic) {
    const std::size_t jobs = task.arrival == Arrival::once ? 1 : max_jobs;
    for (std::size_t i = 0; i < jobs; ++i) {
      task.jobs.push_back(any_job(system, task, manner, i == 0, dice));
      if (task.arrival == Arrival::best_effort && i > 0) task.jobs.back().late.reset();
    }
    return;
  }
  ScriptedJob job = any_job(system, task, manner, true, dice);
  Time release = std::max(time_at(task.offset), first_seen - *job.late);
  while (true) {
    job.release = release;
    task.jobs.push_back(job);
    release += *task.period;
    if (dice.percent(manner.loose)) release += dice.up_to(*task.period);
    if (release > end || task.jobs.size() == max_jobs) return;
    job = any_job(system, task, manner, false, dice);
  }
}

Duration just_before(Dice& dice) {
  return dice.percent(80) ? Duration{1} : Duration{dice.pick<std::int64_t>({1, 2, 1000, 1001})};
}

/// How long the work that runs first is non-preemptive.
Duration block_of(const Task& task) {
  const Segment& segment = task.work.nodes.front().segment;
  const Duration whole = drawn_time(segment).worst;
  if (std::holds_alternative<ExclusiveSegment>(segment))
    return std::min(whole, task.longest_block.value_or(whole));
  return whole;
}

std::vector<TaskIndex> real_time_order(const System& system) {
  std::vector<TaskIndex> order = urgency_order(system);
  if (system.policy.order == Order::edf) {
    std::stable_sort(order.begin(), order.end(), [&](TaskIndex a, TaskIndex b) {
      const Task& first = system.tasks[a];
      const Task& second = system.tasks[b];
      if (!first.deadline || !second.deadline) return first.deadline.has_value() && !second.deadline;
      return *first.deadline < *second.deadline;
    });
  }
  std::erase_if(order, [&](TaskIndex task) { return !repeats(system.tasks[task]); });
  return order;
}

/// The least urgent first: its block runs when the next arrives; the others arrive within that block, the
/// most urgent of them last. Then all other tasks. Returns the instants relative to that.
std::vector<Duration> stacked(const System& system, Dice& dice) {
  std::vector<Duration> seen(system.tasks.size());
  const std::vector<TaskIndex> order = real_time_order(system);
  if (order.size() < 2) return seen;
  // The lower part of the order becomes the stack; some of it may stay out.
  const std::size_t top = 1 + dice.index(order.size() - 1);
  std::vector<TaskIndex> stack;
  for (std::size_t i = order.size(); i > top; --i) {
    if (dice.percent(75)) stack.push_back(order[i - 1]);
  }
  if (stack.empty()) stack.push_back(order.back());
  const auto max_levels = static_cast<std::size_t>(std::max(1, system.policy.levels));
  while (stack.size() > max_levels && dice.percent(85)) {
    stack.erase(stack.begin() + static_cast<std::ptrdiff_t>(dice.index(stack.size())));
  }
  // Up to `runs` each begins to run before the next arrives.
  const std::size_t runs = dice.index(stack.size());
  Duration now{};
  std::vector<std::pair<TaskIndex, Duration>> arrivals;
  for (std::size_t i = 0; i < stack.size(); ++i) {
    arrivals.emplace_back(stack[i], now);
    now += i < runs ? std::max(Duration{1}, block_of(system.tasks[stack[i]])) : Duration{1};
  }
  for (const auto& [task, arrival] : arrivals) seen[task] = arrival - now;
  return seen;
}

/// Around what the engine does. One task is released first, and the engine has just begun its submission when
/// the others turn up: together, each when another has just been handled, or until the submission ends.
std::vector<Duration> around_engine(const System& system, Dice& dice) {
  std::vector<Duration> seen(system.tasks.size());
  std::vector<TaskIndex> order = real_time_order(system);
  if (order.empty()) return seen;
  const Duration event = system.platform.overheads.engine.event;
  const std::size_t first = dice.percent(50) ? order.size() - 1 : dice.index(order.size());
  const TaskIndex begins = order[first];
  order.erase(order.begin() + static_cast<std::ptrdiff_t>(first));
  const Duration submission = submission_time(system, begins, ServerKind::gpu);
  const bool before_its_end = dice.percent(20);
  seen[begins] = -event - (before_its_end ? submission : Duration{1});
  const bool one_by_one = dice.percent(40);
  Duration next{};
  for (std::size_t left = order.size(); left > 0; --left) {
    const auto place = static_cast<std::ptrdiff_t>(dice.index(left));
    const TaskIndex task = order[static_cast<std::size_t>(place)];
    order.erase(order.begin() + place);
    seen[task] = next;
    if (one_by_one) next += event;
    if (dice.percent(10)) seen[task] += dice.up_to(submission);
    if (dice.percent(10)) seen[task] -= *system.tasks[task].period;
  }
  return seen;
}

/// First releases as the scheduler sees them, relative to the critical instant.
std::vector<Duration> any_pattern(const System& system, Dice& dice) {
  std::vector<Duration> seen(system.tasks.size());
  const std::vector<TaskIndex> order = real_time_order(system);
  if (has_engine_time(system) && dice.percent(50)) return around_engine(system, dice);
  switch (dice.between(0, 9)) {
    case 0:
    case 1:
      break;  // all together
    case 2:
    case 3:
      if (!order.empty()) seen[dice.pick_from(order)] = -just_before(dice);
      break;
    case 4:
    case 5:
    case 6:
      seen = stacked(system, dice);
      break;
    case 7:
      for (const TaskIndex task : order) {
        seen[task] = dice.percent(50) ? Duration{} : dice.up_to(*system.tasks[task].period);
      }
      break;
    case 8:  // what came one period before is carried in
      for (const TaskIndex task : order) {
        if (dice.percent(50)) seen[task] = -*system.tasks[task].period + dice.up_to(Duration{2000});
      }
      if (!order.empty() && dice.percent(50)) seen[dice.pick_from(order)] = -just_before(dice);
      break;
    default:
      for (const TaskIndex task : order) {
        seen[task] = Duration{dice.between(-2, 2)} * (dice.percent(50) ? 1 : 1000);
      }
      break;
  }
  return seen;
}

/// The critical instant, not before `earliest`.
Time align(const System& system, Time earliest, Dice& dice) {
  std::vector<Duration> phases;
  Duration cycle{};
  if (const Reservations* windows = windows_of(system)) {
    cycle = windows->period;
    for (const std::optional<Window>* window : {&windows->local, &windows->all}) {
      if (!*window) continue;
      phases.push_back((*window)->offset + (*window)->budget);
      phases.push_back((*window)->offset);
      phases.push_back((*window)->offset + (*window)->budget - dice.up_to((*window)->budget));
    }
  }
  for (const Task& task : system.tasks) {
    if (task.arrival == Arrival::best_effort && cycle == Duration{}) {
      // One block after the other, each with what the engine does for it.
      const Overheads overheads = dispatch_overheads(system, task);
      const auto index = static_cast<TaskIndex>(&task - system.tasks.data());
      const Duration submission = submission_time(system, index, ServerKind::gpu);
      cycle = std::max(Duration{1}, block_of(task) + submission + overheads.engine.event + overheads.launch +
                                        overheads.completion);
      phases.emplace_back();
      if (has_engine_time(system)) {
        phases.push_back(overheads.engine.event + Duration{1});
        phases.push_back(overheads.engine.event + submission);
      }
    }
  }
  if (phases.empty() || dice.percent(15)) return earliest + Duration{dice.between(0, 20'000)};
  const Duration phase = dice.pick_from(phases) + Duration{dice.pick<std::int64_t>({0, 0, 0, 1, -1, 1000})};
  const Duration start = earliest.time_since_epoch();
  const std::int64_t cycles = in_ns(start) / in_ns(cycle) + 1;
  return time_at(cycle * cycles + phase);
}

/// By how much releases move: a nanosecond, a unit, or an action of the engine.
Duration any_step(const System& system, TaskIndex task, Dice& dice) {
  const Duration usual{dice.pick<std::int64_t>({1, -1, 1000, -1000, 500, -500, 999, -999}) *
                       (dice.percent(30) ? dice.between(1, 8) : 1)};
  if (!has_engine_time(system) || !dice.percent(40)) return usual;
  const Duration action = dice.percent(50) ? system.platform.overheads.engine.event
                                           : submission_time(system, task, ServerKind::gpu);
  return (dice.percent(50) ? action : -action) + Duration{dice.between(-1, 1)};
}

/// The first jobs of a task as short as can be: the later ones are then ahead of those that wait for others.
void shorten_first_jobs(System& system, Dice& dice) {
  const auto index = static_cast<TaskIndex>(dice.index(system.tasks.size()));
  std::vector<ScriptedJob>& jobs = system.tasks[index].jobs;
  const std::size_t short_ones = std::min(jobs.size(), static_cast<std::size_t>(dice.between(1, 3)));
  for (std::size_t job = 0; job < short_ones; ++job) {
    for (std::size_t node = 0; node < jobs[job].times.size(); ++node) {
      jobs[job].times[node] = execution_time(system, index, node).best;
    }
  }
}

void script_tasks(System& system, Dice& dice) {
  if (is_by_node(system) && dice.percent(85)) {
    script_chains(system, dice);
    return;
  }
  const Manner manner = any_manner(dice);
  const std::vector<Duration> seen = any_pattern(system, dice);
  Duration before{};
  Duration longest{1};
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    before = std::max(before, max_late(system, task) - seen[i]);
    if (task.period) longest = std::max(longest, *task.period);
  }
  const Time about = align(system, time_at(before), dice);
  const Time end = about + longest * dice.pick<std::int64_t>({1, 2, 2, 4});
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    script_task(system, system.tasks[i], about + seen[i], end, manner, dice);
  }
}

}  // namespace

void script_schedule(System& system, Dice& dice) {
  script_tasks(system, dice);
  if (system.policy.strategy->times_nodes && dice.percent(20)) shorten_first_jobs(system, dice);
}

void script_overload(System& system) {
  constexpr std::int64_t jobs_in_all = 20'000;
  Duration longest{1};
  for (const Task& task : system.tasks) longest = std::max(longest, task.period.value_or(longest));
  std::int64_t jobs_a_cycle = 0;  // in the longest period
  for (const Task& task : system.tasks) {
    if (task.arrival == Arrival::sporadic) jobs_a_cycle += ceil_div(in_ns(longest), in_ns(*task.period));
  }
  const Time end = time_at(longest * (jobs_in_all / std::max<std::int64_t>(1, jobs_a_cycle)));
  for (Task& task : system.tasks) {
    task.jobs.clear();
    if (task.arrival != Arrival::sporadic) continue;
    // Where there are windows, the least supply begins when one has just closed.
    Time release = time_at(task.offset);
    if (const Reservations* windows = windows_of(system)) {
      const bool gang = task.sm.kind == SmAffinity::Kind::all;
      const std::optional<Window>& window = gang ? windows->all : windows->local;
      if (window) release = std::max(release, time_at(window->offset + window->budget));
    }
    for (; release <= end; release += *task.period) {
      task.jobs.emplace_back().release = release;
    }
  }
}

void change_schedule(System& system, Dice& dice) {
  const auto index = static_cast<TaskIndex>(dice.index(system.tasks.size()));
  Task& task = system.tasks[index];
  if (task.jobs.empty()) return;
  const Duration step = any_step(system, index, dice);
  const std::size_t from = dice.percent(60) ? 0 : dice.index(task.jobs.size());
  switch (dice.between(0, 5)) {
    case 0:
    case 1:
    case 2: {  // this task's jobs, or those from one on, earlier or later
      if (!has_scripted_releases(task)) return;
      const Time earliest = from == 0 ? time_at(task.offset) : *task.jobs[from - 1].release + *task.period;
      const Duration shift = std::max(step, earliest - *task.jobs[from].release);
      for (std::size_t i = from; i < task.jobs.size(); ++i) *task.jobs[i].release += shift;
      break;
    }
    case 3: {  // all releases, relative to the windows
      for (const Task& other : system.tasks) {
        if (has_scripted_releases(other) && *other.jobs.front().release + step < time_at(other.offset))
          return;
      }
      for (Task& other : system.tasks) {
        if (!has_scripted_releases(other)) continue;
        for (ScriptedJob& job : other.jobs) *job.release += step;
      }
      break;
    }
    case 4: {
      const Duration most = max_late(system, task);
      if (task.arrival != Arrival::best_effort || from == 0)
        task.jobs[from].late = dice.percent(50) ? dice.up_to(most) : dice.pick({Duration{}, most});
      const Overheads overheads = dispatch_overheads(system, task);
      if (overheads.launch > Duration{}) task.jobs[from].launch = dice.up_to(overheads.launch);
      if (overheads.completion > Duration{}) task.jobs[from].completion = dice.up_to(overheads.completion);
      break;
    }
    default: {
      if (task.jobs[from].times.empty()) break;
      const std::size_t segment = dice.index(task.work.nodes.size());
      const Interval range = execution_time(system, index, segment);
      task.jobs[from].times[segment] = dice.percent(60) ? dice.pick({range.worst, range.best})
                                                        : range.best + dice.up_to(range.worst - range.best);
      break;
    }
  }
}

}  // namespace tactus::falsify
