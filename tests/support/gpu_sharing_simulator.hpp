// A plain simulator, instant by instant, of the run-time models of gpu-lock, gpu-server, gpu-preemptive,
// gpu-round-robin and gpu-as-cpu, which the product does not play. It shares the model with the analyses and
// nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/model/system.hpp"

namespace tactus::test {

enum class GpuSharing : std::uint8_t {
  lock,         // the most urgent request next, to its end; a busy task spins above all while it is served
  server,       // the same, suspended; launches and completions keep the last core
  preemptive,   // the most urgent request runs; interrupted work pays to go on
  round_robin,  // in turns
  spin          // in the order of requests; from then on a job keeps its core
};

/// The longest response of each task, from the nominal release, of jobs that are done by the horizon. A job
/// that is not counts with its age, if that is more. Nothing for tasks without a deadline.
///
/// Releases are at least a period apart, often exactly; every time is drawn from its interval, often an end
/// of it; so are jitter and overheads. Now and then the GPU takes its next work before what is released at
/// the same instant is there.
std::vector<std::optional<Duration>> play(const System& system, GpuSharing sharing, std::uint64_t seed,
                                          Duration horizon);

}  // namespace tactus::test
