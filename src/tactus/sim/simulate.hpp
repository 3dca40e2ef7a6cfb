// The virtual-time engine: the scheduler core on a simulated GPU.
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

struct SimulationOptions {
  /// Where to stop; nothing: `default_horizon`.
  std::optional<Duration> horizon;
  std::uint64_t seed = 1;
  Execution execution = Execution::worst;
  /// Jobs that may be pending at once; this bounds the memory of an overloaded simulation. Nothing: 262,144,
  /// or twice the number of tasks if that is more.
  std::optional<std::uint32_t> max_pending;
  Watch watch;
};

/// Why a simulation ended.
enum class SimulationEnd : std::uint8_t {
  horizon,        // everything up to the horizon is known
  too_many_jobs,  // the jobs that `max_pending` left out would have started: nothing later can be told
  interrupted,
};

struct Outcome {
  Time horizon{};  // what was asked for (or derived)
  Time reached{};  // the schedule is known up to here: the horizon, unless it ended early
  SimulationEnd ending = SimulationEnd::horizon;
  std::uint64_t released = 0;  // jobs released before `reached`
  std::uint64_t completed = 0;
  std::uint64_t pending = 0;  // released, not completed
};

/// "horizon", "too-many-jobs" or "interrupted".
std::string_view to_string(SimulationEnd ending);

/// The end that `choose_horizon` chooses (horizon.hpp). With no repeating task there is none to wait for:
/// `never`, the simulation ends by itself when all jobs are done.
Time default_horizon(const System& system);

/// Simulates a valid, complete system. Releases before the horizon happen; completions and deadlines at or
/// before it count. InputError when the system needs something the simulator lacks.
Outcome simulate(const System& system, const SimulationOptions& options,
                 std::span<trace::Observer* const> observers);

}  // namespace tactus::sim
