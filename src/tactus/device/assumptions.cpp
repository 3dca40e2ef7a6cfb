#include "tactus/device/assumptions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tactus/base/rounding.hpp"
#include "tactus/base/text.hpp"
#include "tactus/model/dispatch.hpp"

namespace tactus::device {

namespace {

Duration saturating_sum(Duration a, Duration b) { return saturating_add(time_at(a), b).time_since_epoch(); }

std::optional<Duration> assumed_call(const System& system, TaskIndex task) {
  const Duration submit = system.platform.overheads.engine.submit;
  if (system.tasks[task].enqueue) return system.tasks[task].enqueue;
  return submit > Duration{} ? std::optional{submit} : std::nullopt;
}

/// How long it may take, beyond an event, until the engine looks for the next one.
Duration longest_action(const System& system) {
  Duration longest{};
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    longest = std::max(longest, submission_time(system, task, ServerKind::gpu));
  }
  // Each task has a release or an end to be handled.
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    longest = saturating_sum(longest, system.platform.overheads.engine.event);
  }
  return longest;
}

Duration delay_of(const Overheads& overheads, ServerKind server) {
  switch (server) {
    case ServerKind::cpu:
      return overheads.cpu;
    case ServerKind::copy:
      return overheads.copy;
    case ServerKind::gpu:
      break;
  }
  return saturating_sum(overheads.launch, overheads.completion);
}

}  // namespace

std::string to_text(const System& system, const BrokenAssumption& broken) {
  const std::string seen = rounded_text(broken.seen, Rounding::up);
  const std::string assumed = tactus::to_text(broken.assumed);
  const std::string at = "at " + rounded_text(broken.at.time_since_epoch(), Rounding::down);
  if (broken.what == Assumption::engine) {
    return at + " the engine's CPU was away for " + seen + "; `release` allows " + assumed;
  }
  const std::string who = fmt::format("{} task '{}', job {}, segment {}: ", at,
                                      system.tasks[broken.job.task].name, broken.job.number, broken.segment);
  if (broken.what == Assumption::call) return who + "its function took " + seen + ", declared are " + assumed;
  return who + "it ran for " + seen + "; its worst case and the overheads allow " + assumed;
}

AssumptionWatch::AssumptionWatch(const System& system) {
  const Overheads& overheads = system.platform.overheads;
  // Without overheads the model is an ideal machine, of which nobody assumes that this one is it.
  const bool counts_overheads = overheads != Overheads{};
  if (counts_overheads) assumed_absence_ = overheads.release;
  const Duration longest = longest_action(system);
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    std::vector<SegmentTimes>& of_task = seen_.segments.emplace_back();
    // The engine has no part in resident jobs. They count from their release, which the device may notice
    // late.
    const bool is_resident = dispatch_of(system, system.tasks[task]) == Dispatch::resident;
    const Duration action = is_resident ? dispatch_overheads(system, system.tasks[task]).release : longest;
    for (std::size_t segment = 0; segment < system.tasks[task].work.nodes.size(); ++segment) {
      SegmentTimes& times = of_task.emplace_back();
      times.assumed_call = assumed_call(system, task);
      if (!counts_overheads) continue;
      const ServerKind server = server_of(system.tasks[task].work.nodes[segment].segment);
      const Duration delay = delay_of(dispatch_overheads(system, system.tasks[task]), server);
      times.assumed_run =
          saturating_sum(whole_time(system, task, segment).worst, saturating_sum(delay, action));
    }
  }
}

}  // namespace tactus::device
