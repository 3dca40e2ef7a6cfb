#include "tactus/analysis/federated_engine.hpp"

#include <algorithm>

namespace tactus::analysis {

namespace {

/// The engine's part in a chain; `submits`: with its submissions.
Stages actions_of(const Stages& stages, Duration event, bool submits) {
  Stages actions;
  for (const Stage& stage : stages) {
    if (!stage.is_submitted()) continue;
    const Duration time = submits ? checked_add(event, stage.submission) : event;
    actions.push_back(Stage::whole(ServerKind::cpu, {Duration{}, time}));
    actions.push_back(Stage::whole(ServerKind::gpu, Interval::exactly(stage.time.best)));
  }
  actions.push_back(Stage::whole(ServerKind::cpu, {Duration{}, event}));
  return actions;
}

Duration longest_submission(const Stages& stages) {
  Duration longest{};
  for (const Stage& stage : stages) {
    if (stage.is_submitted()) longest = std::max(longest, stage.submission);
  }
  return longest;
}

Duration longest_submitted_copy(const Stages& stages) {
  Duration longest{};
  for (const Stage& stage : stages) {
    if (stage.server != ServerKind::copy || !stage.is_issued()) continue;
    longest = std::max(longest, checked_add(stage.time.worst, stage.submission));
  }
  return longest;
}

/// g: two operations end at least so far apart.
Duration least_operation(const Stages& stages) {
  Duration least = Duration::max();
  for (const Stage& stage : stages) {
    if (stage.is_submitted()) least = std::min(least, stage.time.best);
  }
  return least;
}

}  // namespace

ChainWorkload engine_work(const Stages& stages, Duration event, Duration period, Duration response) {
  return ChainWorkload{actions_of(stages, event, true), ServerKind::cpu, period, response}
      .with_last_instant();
}

ChainWorkload events_each(Duration event, Duration period, Duration jitter) {
  const Duration at_once = checked_mul(event, checked_add(jitter / period, 1));
  const Stage stage{ServerKind::cpu, Interval::exactly(at_once)};
  return ChainWorkload{{&stage, 1}, ServerKind::cpu, period, checked_add(at_once, jitter % period)}
      .with_last_instant();
}

ChainWorkload copies_and_submissions(const Stages& stages, Duration submission, Duration period,
                                     Duration response) {
  Stages longer = stages;
  for (Stage& stage : longer) {
    if (stage.server == ServerKind::copy && stage.is_issued()) {
      stage.time.worst = checked_add(stage.time.worst, submission);
    }
  }
  return ChainWorkload{longer, ServerKind::copy, period, response}.with_last_instant();
}

FederatedEngine::FederatedEngine(const FederatedTasks& tasks, LessUrgent less_urgent)
    : event_{tasks.event.value_or(Duration{})} {
  if (!tasks.event) return;
  const auto add = [&](const Stages& stages) -> EventsOf& {
    EventsOf& added = tasks_.emplace_back();
    added.submission = longest_submission(stages);
    added.copy = longest_submitted_copy(stages);
    return added;
  };
  const auto add_ends = [&](EventsOf& added, const Stages& stages) {
    const Duration apart = least_operation(stages);
    added.is_endless = event_ > Duration{} && apart == Duration{};
    if (event_ > Duration{} && !added.is_endless) added.events.push_back(events_each(event_, apart, {}));
  };
  for (const FederatedTask& task : tasks.tasks) {
    const Stages& stages = task.stages.back();
    if (!task.event) {  // the engine has nothing to do with it
      tasks_.emplace_back().is_silent = true;
      continue;
    }
    EventsOf& added = add(stages);
    if (event_ == Duration{}) continue;
    added.releases.push_back(events_each(event_, task.period, task.jitter));
    if (task.watched > 0) {
      watched_.push_back(events_each(checked_mul(event_, task.watched), task.period,
                                     checked_add(task.jitter, task.deadline)));
    }
    if (less_urgent == LessUrgent::in_time) {
      added.events.push_back(
          ChainWorkload{actions_of(stages, event_, false), ServerKind::cpu, task.period, task.deadline}
              .with_last_instant());
    } else {
      added.events = added.releases;
      add_ends(added, stages);
    }
  }
  for (const Stages& stages : tasks.background) add_ends(add(stages), stages);
}

EngineBelow FederatedEngine::below(std::size_t place) const {
  EngineBelow result;
  Duration copy{};
  const auto refer = [](std::vector<const ChainWorkload*>& to, const std::vector<ChainWorkload>& chains) {
    for (const ChainWorkload& chain : chains) to.push_back(&chain);
  };
  refer(result.releases, watched_);
  refer(result.events, watched_);
  for (std::size_t i = place + 1; i < tasks_.size(); ++i) {
    const EventsOf& task = tasks_[i];
    if (task.is_silent) continue;
    result.submission = std::max(result.submission, task.submission);
    copy = std::max(copy, task.copy);
    result.one_each = checked_add(result.one_each, event_);
    result.has_endless_events = result.has_endless_events || task.is_endless;
    refer(result.releases, task.releases);
    refer(result.events, task.events);
  }
  if (copy > Duration{}) result.copy = checked_add(copy, result.submission);
  return result;
}

}  // namespace tactus::analysis
