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
#include "tactus/device/assumptions.hpp"
#include "tactus/trace/event.hpp"
#include "tactus/trace/job_tally.hpp"
#include "tactus/trace/observer.hpp"

namespace tactus::runtime {

/// A job that missed its deadline or exhausted its budget. Callbacks run on the engine's thread and must be
/// short.
struct Incident {
  trace::JobName job;
  Time release{};
  Time deadline = never;
  Time now{};
};

/// Shared, not copied: a runtime passes the same function to each of its runs.
using OnIncident = SharedFunction<void(const Incident&)>;
using OnProgress = SharedFunction<void(Time)>;

/// Why a run ended.
enum class RunEnd : std::uint8_t {
  horizon,
  stopped,  // stopped by a caller
  miss,     // a task says `on_miss: stop`
  failed,   // the device aborted a submission, or reported a failure when it was closed
  lost,     // the watchdog expired
};

struct Outcome {
  Time reached{};
  RunEnd ending = RunEnd::horizon;
  std::uint64_t released = 0;
  std::uint64_t completed = 0;
  std::uint64_t pending = 0;   // neither completed nor dropped
  std::uint64_t unseen = 0;    // of `pending`: the scheduler had not seen their releases
  std::uint64_t untold = 0;    // of `unseen`: too many to report to observers; absent from traces
  bool counts_all = true;      // false: too many releases at the end of the run even to count
  std::uint64_t dropped = 0;   // aborted, failed, skipped, or without room
  std::uint64_t overruns = 0;  // jobs that exhausted their budget
  std::uint64_t misses = 0;
  std::vector<trace::TaskTally> tasks;  // counted by the engine: complete even if observers lose events
  std::optional<trace::JobEnded> first_miss;
  std::string failure;  // message for users; empty when nothing failed
  std::vector<std::string> not_enforced;
  device::Absences absences;  // of the engine's thread
  /// What segments, bound functions and the engine took, beside what is assumed, and what broke first.
  device::AssumptionsSeen assumptions;
  /// Observers that threw and were called no more, in the order in which they were given.
  std::vector<trace::ObserverFailure> observer_failures;
};

/// "horizon", "stopped", "miss", "failed" or "lost".
std::string_view to_string(RunEnd ending);

}  // namespace tactus::runtime
