#include "tactus/sched/node_gate.hpp"

#include <algorithm>

#include "tactus/base/touch.hpp"

namespace tactus::sched {

namespace {

/// A job that takes `longest` is still in progress when so many have been released, itself counted.
std::uint32_t jobs_in_progress(Duration longest, Duration period) {
  constexpr std::int64_t most = 1 << 16;
  return static_cast<std::uint32_t>(std::min(most, longest / period + 1));
}

}  // namespace

NodeGate::NodeGate(const System& system) {
  if (!system.policy.strategy->times_nodes) return;
  const analysis::GraphTiming timing = analysis::graph_timing(system);
  for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
    const Task& task = system.tasks[index];
    OfTask& added = tasks_.emplace_back();
    added.period = *task.period;
    added.jobs_at_once = jobs_in_progress(end_to_end(timing.tasks[index]), *task.period);
    for (std::size_t node = 0; node < task.work.nodes.size(); ++node) {
      const Segment& segment = task.work.nodes[node].segment;
      const ServerKind server = server_of(segment);
      const bool on_cpu = server == ServerKind::cpu;
      added.points.push_back(timing.tasks[index][node].point);
      Gate& gate = added.gates.emplace_back();
      // It goes to no server, and must not wait here: nobody would take it out.
      if (server != ServerKind::gpu && drawn_time(segment).worst == Duration{}) continue;
      gate.offset = timing.tasks[index][node].offset;
      gate.waits_for_release = !system.policy.early_release && gate.offset > Duration{};
      gate.is_spaced = !on_cpu && !gate.waits_for_release;
      gate.one_by_one = on_cpu && !system.policy.parallel_jobs;
      gate.is_used = gate.waits_for_release || gate.is_spaced || gate.one_by_one;
    }
  }
}

void NodeGate::reserve(std::size_t jobs) {
  std::size_t gates = 0;
  for (OfTask& task : tasks_) {
    for (Gate& gate : task.gates) {
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
  const Place place{task, submission.segment};
  if (gate_of(place).holder != submission.job) return;
  gate_of(place).holder.reset();
  look_at(place);
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

std::optional<SubmissionId> NodeGate::take_next(const Place& place, Time now, const JobTable& jobs) {
  Gate& gate = gate_of(place);
  if (gate.jobs.empty() || gate.holder) return std::nullopt;
  const SubmissionId first{gate.jobs.front(), place.segment};
  if (!jobs.is_ready(first)) return std::nullopt;
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
  gate.next = saturating_add(due, tasks_[place.task].period);
  gate.since = never;
  gate.due = never;
  if (gate.one_by_one) gate.holder = first.job;
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
