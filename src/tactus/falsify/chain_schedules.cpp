// Adversarial schedules of chains: all other work arrives at the worst instant for one job.

#include <algorithm>
#include <optional>
#include <vector>

#include "tactus/falsify/schedules.hpp"
#include "tactus/model/dispatch.hpp"

namespace tactus::falsify {

namespace {

/// The time of one segment alone, with all waves of a kernel.
Duration whole_time(const System& system, TaskIndex task, std::size_t segment, Duration drawn) {
  const auto* kernel = std::get_if<KernelSegment>(&system.tasks[task].work.nodes[segment].segment);
  if (kernel == nullptr) return drawn;
  const Node& node = system.tasks[task].work.nodes[segment];
  return drawn * waves_of(*kernel, system.platform.gpu, sm_count(system, task, node));
}

/// Which segments take their worst time: all before `dense_from`; from there on those of one server, the
/// others their best, so that the server gets as much as it can in a short time.
struct Density {
  std::size_t dense_from = 0;
  ServerKind server = ServerKind::cpu;
  std::int64_t noise = 0;  // percent of segments that take anything
};

ScriptedJob any_job(const System& system, TaskIndex index, const Density& density, Duration late,
                    Dice& dice) {
  const Task& task = system.tasks[index];
  const Overheads overheads = dispatch_overheads(system, task);
  ScriptedJob job;
  job.late = late;
  const bool dense = density.dense_from < task.work.nodes.size() && density.server != ServerKind::gpu;
  const bool quick = dense && dice.percent(80);
  if (overheads.launch > Duration{}) job.launch = quick ? Duration{} : overheads.launch;
  if (overheads.completion > Duration{}) job.completion = quick ? Duration{} : overheads.completion;
  if (overheads.cpu > Duration{}) {
    const bool wanted = !quick || density.server == ServerKind::cpu;
    job.cpu = dice.percent(15) ? dice.up_to(overheads.cpu) : wanted ? overheads.cpu : Duration{};
  }
  for (std::size_t i = 0; i < task.work.nodes.size(); ++i) {
    const Interval range = execution_time(system, index, i);
    const bool worst = i < density.dense_from || server_of(task.work.nodes[i].segment) == density.server;
    Duration time = worst ? range.worst : range.best;
    if (dice.percent(density.noise)) time = range.best + dice.up_to(range.worst - range.best);
    job.times.push_back(time);
  }
  return job;
}

/// What the engine needs for a segment and the event before it.
Duration engine_time(const System& system, TaskIndex index, std::size_t segment) {
  const ServerKind server = server_of(system.tasks[index].work.nodes[segment].segment);
  return system.platform.overheads.engine.event + submission_time(system, index, server);
}

/// The time from the instant a job is seen until the segment begins, if the job never waits.
Duration time_before(const System& system, TaskIndex index, const ScriptedJob& job, std::size_t segment) {
  Duration sum = engine_time(system, index, segment);
  for (std::size_t i = 0; i < segment; ++i) {
    sum += engine_time(system, index, i);
    sum += whole_time(system, index, i, job.times[i]);
    if (server_of(system.tasks[index].work.nodes[i].segment) == ServerKind::gpu) {
      sum += job.launch.value_or(Duration{}) + job.completion.value_or(Duration{});
    }
    const auto* cpu = std::get_if<CpuSegment>(&system.tasks[index].work.nodes[i].segment);
    if (cpu != nullptr && cpu->time.worst > Duration{}) sum += job.cpu.value_or(Duration{});
    const auto* copy = std::get_if<CopySegment>(&system.tasks[index].work.nodes[i].segment);
    if (copy != nullptr && copy->time.worst > Duration{}) {
      sum += system.platform.overheads.copy * chunks_of(*copy, system.platform.gpu).count;
    }
  }
  return sum;
}

/// How one task behaves.
struct Part {
  std::size_t segment = 0;  // begins at the critical instant
  Density first;
  Density later;
  Duration shift{};
  /// With engine time: not the segment begins there, but the event before it becomes visible.
  bool by_event = false;
  std::int64_t jobs_before = 0;
  std::int64_t loose = 0;  // percent of jobs that come later than they could
};

/// Of those that may be in the way of a segment on this kind of server: copies are not interrupted.
std::size_t longest_segment(const System& system, TaskIndex index, ServerKind server) {
  std::size_t longest = 0;
  Duration time{-1};
  for (std::size_t i = 0; i < system.tasks[index].work.nodes.size(); ++i) {
    const Segment& segment = system.tasks[index].work.nodes[i].segment;
    if (server_of(segment) != server || drawn_time(segment).worst <= time) continue;
    time = drawn_time(segment).worst;
    longest = i;
  }
  return longest;
}

Part any_part(const System& system, TaskIndex index, ServerKind focus, Dice& dice) {
  const std::size_t segments = system.tasks[index].work.nodes.size();
  Part part;
  part.segment = dice.percent(25) ? 0 : dice.index(segments);
  const ServerKind server = dice.percent(80) ? focus : dice.pick({ServerKind::cpu, ServerKind::copy});
  const std::int64_t noise = dice.percent(80) ? 0 : dice.between(5, 60);
  part.first = {dice.percent(80) ? part.segment : segments, server, noise};
  part.later = {dice.percent(85) ? std::size_t{0} : segments, server, noise};
  part.shift = Duration{dice.pick<std::int64_t>({0, 0, 0, 0, 1, -1, 1000, -1000})};
  part.jobs_before = dice.percent(75) ? 0 : 1;
  part.loose = dice.percent(80) ? 0 : dice.between(5, 50);
  return part;
}

/// How long some copy takes, with what the engine does for it.
Duration any_copy(const System& system, Dice& dice) {
  std::vector<Duration> copies{Duration{}};
  for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
    const Work& work = system.tasks[index].work;
    for (std::size_t i = 0; i < work.nodes.size(); ++i) {
      const auto* copy = std::get_if<CopySegment>(&work.nodes[i].segment);
      if (copy == nullptr || copy->time.worst == Duration{}) continue;
      copies.push_back(engine_time(system, index, i) + copy->time.worst + system.platform.overheads.copy);
    }
  }
  return dice.pick_from(copies) + (dice.percent(40) ? dice.pick_from(copies) : Duration{});
}

/// Events that become visible together; those of less urgent tasks so long before that their submission has
/// just begun, now or when a copy ends, or at any instant close by.
void aim_at_engine(const System& system, TaskIndex index, Part& part, bool less_urgent, Dice& dice) {
  part.by_event = true;
  const Duration event = system.platform.overheads.engine.event;
  const Duration whole = engine_time(system, index, part.segment);
  part.shift = Duration{dice.pick<std::int64_t>({0, 0, 1, -1})};
  if (less_urgent && dice.percent(70)) part.shift = -event - Duration{1};
  if (less_urgent && dice.percent(30)) part.shift += any_copy(system, dice);
  if (dice.percent(30)) part.shift += dice.pick({event, -event, whole, -whole, dice.up_to(Duration{3000})});
}

void script_task(System& system, TaskIndex index, const Part& part, Time about, Time end, Dice& dice) {
  constexpr std::size_t max_jobs = 24;
  Task& task = system.tasks[index];
  const Duration max_late = task.jitter + dispatch_overheads(system, task).release;
  if (task.arrival != Arrival::sporadic) {
    for (std::size_t i = 0; i < max_jobs; ++i) {
      task.jobs.push_back(
          any_job(system, index, dice.percent(50) ? part.first : part.later, dice.up_to(max_late), dice));
      if (task.arrival == Arrival::best_effort && i > 0) task.jobs.back().late.reset();
    }
    return;
  }
  const Duration late = dice.percent(80) ? max_late : dice.up_to(max_late);
  ScriptedJob job = any_job(system, index, part.first, late, dice);
  Time release = about + part.shift - late - time_before(system, index, job, part.segment) -
                 *task.period * part.jobs_before;
  if (part.by_event) release += engine_time(system, index, part.segment);
  release = std::max(time_at(task.offset), release);
  while (true) {
    job.release = release;
    task.jobs.push_back(job);
    release += *task.period;
    if (dice.percent(part.loose)) release += dice.up_to(*task.period);
    if (release > end || task.jobs.size() == max_jobs) return;
    const Duration seen = dice.percent(85) ? Duration{} : dice.up_to(max_late);
    job = any_job(system, index, part.later, seen, dice);
  }
}

}  // namespace

void script_chains(System& system, Dice& dice) {
  const std::vector<TaskIndex> order = urgency_order(system);
  const std::size_t place = dice.percent(60)
                                ? order.size() - 1 - (dice.percent(30) && order.size() > 1 ? 1 : 0)
                                : dice.index(order.size());
  const TaskIndex victim = order[place];
  const std::size_t all = system.tasks[victim].work.nodes.size();
  const std::size_t segment = dice.index(all);
  const ServerKind focus = server_of(system.tasks[victim].work.nodes[segment].segment);
  std::vector<Part> parts(system.tasks.size());
  const bool at_engine = has_engine_time(system) && dice.percent(60);
  Duration before{};
  Duration longest{1};
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const TaskIndex index = order[rank];
    system.tasks[index].jobs.clear();
    Part& part = parts[index];
    part = any_part(system, index, focus, dice);
    if (rank == place) {
      part.segment = segment;
      part.first = {all, ServerKind::gpu, dice.percent(85) ? 0 : 30};
      part.later = part.first;
      part.shift = {};
    } else if (rank > place) {
      const bool shares_gpu = system.policy.strategy->sms != SmSharing::owned;
      const ServerKind in_the_way = shares_gpu && dice.percent(60) ? focus : ServerKind::copy;
      if (dice.percent(70)) part.segment = longest_segment(system, index, in_the_way);
      if (dice.percent(70)) part.shift = Duration{-1};
    }
    if (at_engine) aim_at_engine(system, index, part, rank > place, dice);
    if (at_engine && rank == place) part.shift = {};
    const std::optional<Duration>& period = system.tasks[index].period;
    longest = std::max(longest, period.value_or(longest));
    before = std::max(before, Duration{period.value_or(Duration{})} * 3);
  }
  const Time about = time_at(before + dice.up_to(Duration{3000}) / 1000 * 1000);
  const Time end = about + longest * dice.pick<std::int64_t>({1, 2, 3});
  for (const TaskIndex index : order) script_task(system, index, parts[index], about, end, dice);
}

}  // namespace tactus::falsify
