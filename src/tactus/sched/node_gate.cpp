#include "tactus/sched/node_gate.hpp"

#include <algorithm>

#include "tactus/base/touch.hpp"

namespace tactus::sched {

NodeGate::NodeGate(const System& system) {
  if (!system.policy.strategy->times_nodes) return;
  const analysis::GraphTiming timing = analysis::graph_timing(system);
  TimerId timers = 0;
  for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
    const Task& task = system.tasks[index];
    OfTask& added = tasks_.emplace_back();
    added.period = *task.period;
    for (std::size_t node = 0; node < task.work.nodes.size(); ++node) {
      const bool on_cpu = server_of(task.work.nodes[node].segment) == ServerKind::cpu;
      added.points.push_back(timing.tasks[index][node].point);
      Gate& gate = added.gates.emplace_back();
      gate.offset = timing.tasks[index][node].offset;
      gate.waits_for_release = !system.policy.early_release && gate.offset > Duration{};
      gate.is_spaced = !on_cpu && !gate.waits_for_release;
      gate.one_by_one = on_cpu && !system.policy.parallel_jobs;
      gate.is_used = gate.waits_for_release || gate.is_spaced || gate.one_by_one;
      gate.timer = timers++;
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
  reserve_touched(waiting_, gates);
}

void NodeGate::on_released(JobId id, TaskIndex task) {
  if (!is_used()) return;
  for (Gate& gate : tasks_[task].gates) {
    if (gate.is_used) gate.jobs.push(id);
  }
}

void NodeGate::on_ready(SubmissionId submission, TaskIndex task) {
  Gate& gate = tasks_[task].gates[submission.segment];
  if (gate.ready++ == 0) waiting_.push_back({task, submission.segment});
}

void NodeGate::on_finished(SubmissionId submission, TaskIndex task) {
  if (is_used()) tasks_[task].gates[submission.segment].is_busy = false;
}

/// Nothing of the job runs any more, or what does is told by `on_finished`.
void NodeGate::forget(JobId id, TaskIndex task) {
  if (!is_used()) return;
  for (Gate& gate : tasks_[task].gates) {
    if (gate.is_used && gate.jobs.remove(id)) gate.since = never;
  }
}

std::optional<SubmissionId> NodeGate::take_next(const Place& place, Time now, const JobTable& jobs,
                                                Commands& commands) {
  Gate& gate = gate_of(place);
  if (gate.jobs.empty()) {  // those that were ready have been given up
    gate.ready = 0;
    return std::nullopt;
  }
  const SubmissionId first{gate.jobs.front(), place.segment};
  if ((gate.one_by_one && gate.is_busy) || !jobs.is_ready(first)) return std::nullopt;
  if (gate.since == never) gate.since = now;
  Time due = gate.since;
  if (gate.is_spaced) due = std::max(due, gate.next);
  if (gate.waits_for_release) due = std::max(due, saturating_add(jobs.get(first.job).release, gate.offset));
  if (due > now) {
    if (gate.armed != due) commands.emplace_back(ArmTimer{gate.timer, due});
    gate.armed = due;
    return std::nullopt;
  }
  gate.next = saturating_add(due, tasks_[place.task].period);
  gate.since = never;
  gate.armed = never;
  gate.is_busy = true;
  gate.jobs.pop();
  --gate.ready;
  return first;
}

}  // namespace tactus::sched
