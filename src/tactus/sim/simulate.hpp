// The simulator: the scheduler core on a simulated machine in virtual time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/base/watch.hpp"
#include "tactus/model/system.hpp"
#include "tactus/sched/execution.hpp"
#include "tactus/trace/observer.hpp"

namespace tactus::sim {

/// The largest number of pending jobs where nothing else is said.
inline constexpr std::uint32_t usual_max_pending = 1U << 18U;

struct SimulationOptions {
  /// When to stop; nothing: `default_horizon`.
  std::optional<Duration> horizon;
  std::uint64_t seed = 1;
  Execution execution = Execution::worst;
  /// The largest number of pending jobs, which bounds the memory of an overloaded simulation. Nothing:
  /// `usual_max_pending`, or twice the number of tasks if that is more.
  std::optional<std::uint32_t> max_pending;
  Watch watch;
};

/// Why a simulation ended.
enum class SimulationEnd : std::uint8_t {
  horizon,        // the schedule is known up to the horizon
  too_many_jobs,  // a job that `max_pending` left out would have started: nothing later is known
  interrupted,
};

struct Outcome {
  Time horizon{};  // requested or derived
  Time reached{};  // the schedule is known up to here: the horizon, unless it ended early
  SimulationEnd ending = SimulationEnd::horizon;
  std::uint64_t released = 0;  // jobs released before `reached`
  std::uint64_t completed = 0;
  std::uint64_t pending = 0;  // released, neither completed nor dropped
  std::uint64_t dropped = 0;  // turned away: `max_jobs` of their task were in progress
};

/// "horizon", "too-many-jobs" or "interrupted".
std::string_view to_string(SimulationEnd ending);

/// The horizon of `choose_horizon` (horizon.hpp). Without a repeating task it is `never`: the simulation ends
/// when all jobs are done.
Time default_horizon(const System& system);

/// Simulates a valid, complete system. Releases before the horizon happen; completions and deadlines up to
/// and including it count. InputError when the system needs something that the simulator does not support.
Outcome simulate(const System& system, const SimulationOptions& options,
                 std::span<trace::Observer* const> observers);

}  // namespace tactus::sim
