#include "tactus/sched/node_gate.hpp"

#include <algorithm>

#include "tactus/base/touch.hpp"

namespace tactus::sched {

namespace {

/// If no job takes longer, or as many as may be.
std::uint32_t jobs_in_progress(Duration longest, const Task& task) {
  constexpr std::int64_t most = 1 << 16;
  const std::int64_t jobs = std::min(most, jobs_at_once(longest, *task.period));
  return static_cast<std::uint32_t>(std::min(jobs, task.max_jobs.value_or(most)));
}

}  // namespace

NodeGate::NodeGate(const System& system) {
  if (!system.policy.strategy->times_nodes) return;
  const analysis::GraphTiming timing = analysis::graph_timing(system);
  for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
    const Task& task = system.tasks[index];
    OfTask& added = tasks_.emplace_back();
    added.period = *task.period;
    added.jobs_at_once = jobs_in_progress(timing.bound_of(index), task);
    for (std::size_t node = 0; node < task.work.nodes.size(); ++node) {
      const Segment& segment = task.work.nodes[node].segment;
      const ServerKind server = server_of(segment);
      const bool on_cpu = server == ServerKind::cpu;
      const analysis::NodeTiming& times = timing.tasks[index][node];
      added.points.push_back(checked_add(times.offset, times.point));
      Gate& gate = added.gates.emplace_back();
      // It goes to no server, and must not wait here: nobody would take it out.
      if (server != ServerKind::gpu && drawn_time(segment).worst == Duration{}) continue;
      gate.offset = times.offset;
      if (timing.engine > Duration{}) gate.latest = checked_add(times.offset, times.late);
      gate.waits_for_release = !system.policy.early_release && gate.offset > Duration{};
      gate.is_spaced = !on_cpu;
      gate.is_used = gate.waits_for_release || gate.is_spaced;
      if (on_cpu && !system.policy.parallel_jobs) {
        add_wait(added, static_cast<std::uint32_t>(node), static_cast<std::uint32_t>(node), 1);
      }
    }
    for (const Edge& edge : history_edges(task.work)) {
      add_wait(added, static_cast<std::uint32_t>(edge.from), static_cast<std::uint32_t>(edge.to), edge.delay);
    }
  }
}

void NodeGate::add_wait(OfTask& task, std::uint32_t from, std::uint32_t to, std::int64_t delay) {
  task.gates[to].is_used = true;
  task.gates[to].waits_for.push_back({from, static_cast<std::uint64_t>(delay)});
  task.gates[from].waiters.push_back(to);
}

void NodeGate::reserve(std::size_t jobs) {
  std::size_t gates = 0;
  for (OfTask& task : tasks_) {
    for (Gate& gate : task.gates) {
      if (!gate.waiters.empty()) gate.not_done.reserve(jobs);
      if (!gate.is_used) continue;
      gate.jobs.reserve(jobs);
      ++gates;
    }
  }
  reserve_touched(changed_, gates);
  reserve_touched(waiting_, 2 * gates);
}

void NodeGate::on_released(JobId id, TaskIndex task) {
  if (!is_used()) return;
  for (Gate& gate : tasks_[task].gates) {
    if (gate.is_used) gate.jobs.push(id);
    if (!gate.waiters.empty()) gate.not_done.push(id);
  }
}

void NodeGate::look_at(const Place& place) {
  Gate& gate = gate_of(place);
  if (!gate.is_used || gate.has_changed) return;
  gate.has_changed = true;
  changed_.push_back(place);
}

void NodeGate::on_finished(SubmissionId submission, TaskIndex task) {
  if (!is_used()) return;
  Gate& gate = tasks_[task].gates[submission.segment];
  if (gate.waiters.empty() || !gate.not_done.remove(submission.job)) return;
  for (const std::uint32_t waiter : gate.waiters) look_at({task, waiter});
}

void NodeGate::on_job_over(JobId id, TaskIndex task) {
  if (!is_used()) return;
  for (std::uint32_t segment = 0; segment < tasks_[task].gates.size(); ++segment)
    on_finished({id, segment}, task);
}

/// What of the job is still on a server is told by `on_finished`.
void NodeGate::forget(JobId id, TaskIndex task) {
  if (!is_used()) return;
  for (std::uint32_t segment = 0; segment < tasks_[task].gates.size(); ++segment) {
    Gate& gate = tasks_[task].gates[segment];
    if (!gate.is_used || !gate.jobs.remove(id)) continue;
    gate.since = never;
    gate.due = never;
    look_at({task, segment});
  }
}

void NodeGate::take_due(Time now) {
  while (!waiting_.empty() && waiting_.front().at <= now) {
    const Due due = waiting_.front();
    std::pop_heap(waiting_.begin(), waiting_.end());
    waiting_.pop_back();
    if (gate_of(due.place).due == due.at) look_at(due.place);
  }
}

bool NodeGate::waits_for_earlier(const Place& place, JobId job, const JobTable& jobs) const {
  const OfTask& task = tasks_[place.task];
  const std::uint64_t number = jobs.get(job).number;
  return std::ranges::any_of(task.gates[place.segment].waits_for, [&](const Earlier& earlier) {
    // Where the job that is `delay` before was never released, the one before that counts.
    for (const JobId other : task.gates[earlier.segment].not_done.in_order()) {
      const std::uint64_t before = number - jobs.get(other).number;
      if (jobs.get(other).number >= number || before < earlier.delay) return false;
      if (before % earlier.delay == 0) return true;
    }
    return false;
  });
}

std::optional<SubmissionId> NodeGate::take_next(const Place& place, Time now, const JobTable& jobs) {
  Gate& gate = gate_of(place);
  if (gate.jobs.empty()) return std::nullopt;
  const SubmissionId first{gate.jobs.front(), place.segment};
  if (!jobs.is_ready(first) || waits_for_earlier(place, first.job, jobs)) return std::nullopt;
  if (gate.since == never) gate.since = now;
  Time due = gate.since;
  if (gate.is_spaced) due = std::max(due, gate.next);
  if (gate.waits_for_release) due = std::max(due, saturating_add(jobs.get(first.job).release, gate.offset));
  if (due > now) {
    if (gate.due != due) {
      gate.due = due;
      waiting_.push_back({due, place});
      std::push_heap(waiting_.begin(), waiting_.end());
    }
    return std::nullopt;
  }
  const Time latest = saturating_add(jobs.get(first.job).release, gate.latest);
  gate.next = saturating_add(std::max(gate.next, std::min(due, latest)), tasks_[place.task].period);
  gate.since = never;
  gate.due = never;
  gate.jobs.pop();
  return first;
}

void NodeGate::set_timer(Commands& commands) {
  constexpr TimerId timer = 0;
  while (!waiting_.empty() && gate_of(waiting_.front().place).due != waiting_.front().at) {
    std::pop_heap(waiting_.begin(), waiting_.end());
    waiting_.pop_back();
  }
  const Time first = waiting_.empty() ? never : waiting_.front().at;
  if (first == armed_) return;
  armed_ = first;
  if (first != never) commands.emplace_back(ArmTimer{timer, first});
}

}  // namespace tactus::sched
