// A job whose instants and times a system file tells, so that a schedule can be played again.
#pragma once

#include <optional>
#include <vector>

#include "tactus/base/time.hpp"

namespace tactus {

/// What a simulation plays for one job instead of what it would draw. What is not given is left to it.
struct ScriptedJob {
  std::optional<Time> release;         // nominal; present for every scripted job of a sporadic task
  std::optional<Duration> late;        // from there until the scheduler sees it
  std::optional<Duration> launch;      // from the submission of each GPU call until it reaches its stream
  std::optional<Duration> completion;  // from the end of GPU work until the scheduler knows
  std::optional<Duration> cpu{};       // added to each CPU segment
  std::vector<Duration> times;         // execution time of each segment (block time of a kernel); or none
  friend bool operator==(const ScriptedJob&, const ScriptedJob&) = default;
};

}  // namespace tactus
