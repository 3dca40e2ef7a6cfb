// What a run tells: its incidents while it is on, and at the end what it came to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/base/shared_function.hpp"
#include "tactus/base/time.hpp"
#include "tactus/device/absences.hpp"
#include "tactus/trace/event.hpp"
#include "tactus/trace/job_tally.hpp"
#include "tactus/trace/observer.hpp"

namespace tactus::runtime {

/// A job that missed its deadline or used up its budget. Told from the engine's thread: be short.
struct Incident {
  trace::JobName job;
  Time release{};
  Time deadline = never;
  Time now{};
};

/// Kept once: a runtime hands the same function to each of its runs.
using OnIncident = SharedFunction<void(const Incident&)>;
using OnProgress = SharedFunction<void(Time)>;

/// Why a run ended.
enum class RunEnd : std::uint8_t {
  horizon,
  stopped,  // from outside
  miss,     // a task says `on_miss: stop`
  failed,   // the device broke off an operation, or told of a failure when it was closed
  lost,     // the watchdog waited in vain for a completion
};

struct Outcome {
  Time reached{};
  RunEnd ending = RunEnd::horizon;
  std::uint64_t released = 0;
  std::uint64_t completed = 0;
  std::uint64_t pending = 0;   // neither completed nor dropped
  std::uint64_t unseen = 0;    // of those: the scheduler had not seen their releases
  std::uint64_t untold = 0;    // of those: too many to tell observers of each; lists and traces miss them
  bool counts_all = true;      // false: releases were drawn so fast that the last ones are not even counted
  std::uint64_t dropped = 0;   // aborted, failed, skipped, or no room
  std::uint64_t overruns = 0;  // jobs that used up their budget
  std::uint64_t misses = 0;
  std::vector<trace::TaskTally> tasks;  // nothing of this depends on what observers get
  std::optional<trace::JobEnded> first_miss;
  std::string failure;  // what failed, for people; empty when nothing did
  std::vector<std::string> not_enforced;
  device::Absences absences;  // of the engine's thread
  /// Observers that threw, and were left alone from then on; in the order in which they were given.
  std::vector<trace::ObserverFailure> observer_failures;
};

/// "horizon", "stopped", "miss", "failed" or "lost".
std::string_view to_string(RunEnd ending);

}  // namespace tactus::runtime
