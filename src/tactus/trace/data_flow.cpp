#include "tactus/trace/data_flow.hpp"

#include <algorithm>

namespace tactus::trace {

DataFlow::DataFlow(const System& system, Duration margin, std::size_t max_steps)
    : tasks_{system.tasks},
      margin_{margin},
      max_steps_{max_steps},
      places_(system.tasks.size()),
      pending_(system.tasks.size()) {
  flows_.reserve(system.chains.size());
  for (const EffectChain& chain : system.chains) {
    Flow& flow = flows_.emplace_back();
    flow.chain = &chain;
    flow.by_event = tasks_[chain.tasks.front()].arrival == Arrival::sporadic;
    flow.stages.resize(chain.tasks.size());
    for (std::size_t i = 0; i < chain.tasks.size(); ++i) {
      places_[chain.tasks[i]].push_back({flows_.size() - 1, i});
      flow.begin = std::max(flow.begin, time_at(tasks_[chain.tasks[i]].offset));
    }
  }
}

void DataFlow::on(const JobReleased& event) {
  const std::vector<Place>& places = places_[event.job.task];
  if (places.empty()) return;
  pending_[event.job.task].emplace(event.job.number, event.release);
  for (const auto& [index, position] : places) {
    Flow& flow = flows_[index];
    if (!flow.statistics.complete) continue;
    const bool is_input = flow.by_event && position == 0 && event.release >= flow.begin;
    if (is_input && flow.inputs.size() < max_steps_) flow.inputs.push_back(event.release);
    settle(flow, event.release);
  }
}

void DataFlow::on(const JobEnded& event) {
  const std::vector<Place>& places = places_[event.job.task];
  if (places.empty()) return;
  pending_[event.job.task].erase(event.job.number);
  for (const auto& [index, position] : places) {
    Flow& flow = flows_[index];
    if (!flow.statistics.complete) continue;
    const Communication communication = flow.chain->communication;
    if (event.start != never) {
      flow.steps.push({is_let(communication) ? event.release : event.start, position, Kind::read,
                       event.job.number, event.release});
    }
    if (event.completion != never) {
      Time publication = event.completion;
      if (is_let(communication)) {
        publication =
            std::max(publication, event.release + let_interval(communication, tasks_[event.job.task]));
      }
      flow.steps.push({publication, position, Kind::publish, event.job.number, event.release});
      settle(flow, event.completion);
    }
    if (flow.steps.size() > max_steps_) {
      flow.statistics.complete = false;
      flow.steps = {};
      flow.stages.clear();
    }
  }
}

/// Handles the steps that nothing can precede any more. `now`: nothing is released before it.
void DataFlow::settle(Flow& flow, Time now) {
  Time certain = now - margin_;
  for (const TaskIndex task : flow.chain->tasks) {
    if (!pending_[task].empty()) certain = std::min(certain, pending_[task].begin()->second);
  }
  while (!flow.steps.empty() && flow.steps.top().time < certain) {
    handle(flow, flow.steps.top());
    flow.steps.pop();
  }
}

void DataFlow::handle(Flow& flow, const Step& step) {
  Stage& stage = flow.stages[step.position];
  if (step.kind == Kind::read) {
    if (step.position == 0) {
      stage.held.emplace(step.number, Source{step.time, step.release});
      return;
    }
    Stage& before = flow.stages[step.position - 1];
    if (flow.chain->communication == Communication::queue) {
      if (before.queue.empty()) return;
      stage.held.emplace(step.number, before.queue.front());
      before.queue.pop_front();
    } else if (before.latest) {
      stage.held.emplace(step.number, before.latest->second);
    }
    return;
  }
  const auto held = stage.held.find(step.number);
  if (held == stage.held.end()) return;  // it read nothing, so it passes nothing on
  const Source source = held->second;
  stage.held.erase(held);
  if (step.position + 1 == flow.stages.size()) {
    output(flow, step.time, source);
  } else if (flow.chain->communication == Communication::queue) {
    stage.queue.push_back(source);
  } else if (!stage.latest || step.number > stage.latest->first) {
    stage.latest = {step.number, source};  // a job that was overtaken by a later one replaces nothing
  }
}

void DataFlow::output(Flow& flow, Time now, const Source& source) {
  const EffectChain& chain = *flow.chain;
  ChainStatistics& statistics = flow.statistics;
  count(statistics.age, now - source.sample, chain.age);
  if (flow.by_event) {
    while (!flow.inputs.empty() && flow.inputs.front() <= source.release) {
      count(statistics.reaction, now - flow.inputs.front(), chain.reaction);
      flow.inputs.pop_front();
    }
  } else if (source.sample > flow.reflected) {
    // Inputs just after the last sample that was reflected waited longest.
    if (source.sample >= flow.begin) {
      count(statistics.reaction, now - std::max(flow.reflected, flow.begin), chain.reaction);
    }
    flow.reflected = source.sample;
  }
}

void DataFlow::count(FlowTimes& times, Duration time, const std::optional<Duration>& limit) {
  ++times.seen;
  times.max = std::max(times.max.value_or(time), time);
  times.longest_known = std::max(times.longest_known.value_or(time), time);
  times.misses += limit && time > *limit ? 1U : 0U;
}

void DataFlow::count_open(FlowTimes& times, Duration time, const std::optional<Duration>& limit) {
  times.longest_known = std::max(times.longest_known.value_or(time), time);
  if (!limit || time <= *limit) return;
  ++times.misses;
  ++times.open_misses;
}

void DataFlow::finish(Time reached, bool complete) {
  for (Flow& flow : flows_) {
    if (!complete) flow.statistics = {.complete = false};  // data may have been followed wrongly
    if (!flow.statistics.complete) continue;
    for (; !flow.steps.empty() && flow.steps.top().time <= reached; flow.steps.pop()) {
      handle(flow, flow.steps.top());
    }
    FlowTimes& reaction = flow.statistics.reaction;
    const std::optional<Duration>& limit = flow.chain->reaction;
    for (const Time input : flow.inputs) {
      if (input <= reached) count_open(reaction, reached - input, limit);
    }
    const Time waiting_since = std::max(flow.reflected, flow.begin);
    if (!flow.by_event && waiting_since < reached) count_open(reaction, reached - waiting_since, limit);
  }
}

std::vector<ChainStatistics> DataFlow::all() const {
  std::vector<ChainStatistics> result;
  result.reserve(flows_.size());
  for (const Flow& flow : flows_) result.push_back(flow.statistics);
  return result;
}

}  // namespace tactus::trace
