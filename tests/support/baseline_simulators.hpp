// Plain simulators for the run-time models of the baselines stgm, mpcp and self-suspension, which the product
// does not play. They share the model with the analyses and nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/model/system.hpp"

namespace tactus::test {

enum class SharingModel : std::uint8_t {
  shared_device,  // self-suspension: one request after the other, each on its task's SMs; waiting suspends
  gpu_lock,       // mpcp: the same, but a request has all SMs
  busy_waiting,   // stgm: the job keeps the CPU until its run is over; copies one by one, kernels on own SMs
};

/// The longest response of each task, from the nominal release, of jobs that are done by the horizon. A job
/// that is not counts with its age, if that is more. Nothing for tasks without a deadline.
///
/// Releases are at least a period apart, often exactly; every time is drawn from its interval, often an end
/// of it; so are jitter and overheads. Now and then a server takes its next work before what is released at
/// the same instant is there. `sms`: physical SMs by task.
std::vector<std::optional<Duration>> play(const System& system, SharingModel model,
                                          const std::vector<std::int64_t>& sms, std::uint64_t seed,
                                          Duration horizon);

}  // namespace tactus::test
