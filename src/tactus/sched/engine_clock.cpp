#include "tactus/sched/engine_clock.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace tactus::sched {

void EngineClock::act(Time now, Core& core, Commands& commands) {
  if (core.has_resident_tasks()) pass_by(now, core, commands);
  while (state_ == State::waiting ? !visible_.empty() : until_ <= now) {
    if (state_ == State::submitting) commands.push_back(*std::exchange(submission_, std::nullopt));
    if (!visible_.empty()) {
      handle_visible(now);
    } else if (!decide(now, core, commands)) {
      state_ = State::waiting;
    }
  }
}

/// What concerns resident tasks is the GPU's own business.
void EngineClock::pass_by(Time now, Core& core, Commands& commands) {
  resident_.clear();
  std::erase_if(visible_, [&](const Event& event) {
    if (!core.is_resident(event)) return false;
    resident_.push_back(event);
    return true;
  });
  if (!resident_.empty()) core.step_resident(now, resident_, commands);
}

std::vector<Released> EngineClock::unhandled_releases() const {
  std::vector<Released> releases;
  for (const Events* events : {&burst_, &visible_}) {
    for (const Event& event : *events) {
      if (const auto* released = std::get_if<Released>(&event)) releases.push_back(*released);
    }
  }
  return releases;
}

void EngineClock::handle_visible(Time now) {
  state_ = State::handling;
  until_ = now;
  for (const Event& event : visible_) {
    until_ = saturating_add(until_, drawn(system_.platform.overheads.engine.event));
    burst_.push_back(event);
  }
  visible_.clear();
}

/// Of a submission or a stop request; nothing for other commands. Stop requests for a job that is given up
/// are free: they belong to the event that ended it.
std::optional<Duration> EngineClock::time_of(const Command& command, const JobTable& jobs) const {
  if (const auto* submit = std::get_if<Submit>(&command)) {
    return submission_time(system_, jobs.get(submit->id.job).task, submit->server);
  }
  const auto* stop = std::get_if<RequestStop>(&command);
  if (stop == nullptr || jobs.get(stop->id.job).given_up) return std::nullopt;
  return system_.platform.overheads.engine.submit;
}

/// False when there is nothing to submit.
bool EngineClock::decide(Time now, Core& core, Commands& commands) {
  decided_.clear();
  core.step(now, burst_, decided_);
  burst_.clear();
  for (const Command& command : decided_) {
    const std::optional<Duration> time = time_of(command, core.jobs());
    if (!time) {
      commands.push_back(command);
      continue;
    }
    submission_ = command;
    until_ = saturating_add(now, drawn(*time));
    state_ = State::submitting;
  }
  return submission_.has_value();
}

}  // namespace tactus::sched
