// Simulated response times of a system, to compare bounds with.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/model/system.hpp"

namespace tactus::sweep {

/// How long a system is simulated: all tasks begin together, every job takes its worst case.
struct Observation {
  std::int64_t jobs = 10;             // of the task with the longest period
  std::optional<Duration> horizon{};  // instead of `jobs`
  friend bool operator==(const Observation&, const Observation&) = default;
};

/// The longest response time of every task, nothing where no job completed. Nothing at all where the
/// simulation is not possible: the simulator does not support the system, or there were too many jobs.
std::optional<std::vector<std::optional<Duration>>> longest_responses(const System& system,
                                                                      const Observation& observation);

}  // namespace tactus::sweep
