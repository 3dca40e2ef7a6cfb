// When a model's tasks are activated.
#pragma once

#include <optional>
#include <string_view>

#include "tactus/import/finding.hpp"
#include "tactus/model/task.hpp"

namespace tactus::import {

/// What a stimulus says of the arrivals of its tasks.
struct Arrivals {
  Arrival arrival = Arrival::periodic;
  std::optional<Duration> period;  // also the least distance of sporadic arrivals
  Duration offset{};
  Duration jitter{};
  bool is_triggered = false;  // by other tasks, whose arrivals count
  std::int64_t every = 1;     // of triggers with a counter: only every n-th
};

/// The arrivals of a stimulus. Where none follow from it (a custom or event stimulus, or a distance of 0)
/// there is no period.
Arrivals read_arrivals(const Element& stimulus, Notes& notes);

/// The child that holds the distance between two arrivals, or that should; empty for stimuli that are not
/// relative to their last arrival.
std::string_view distance_role(const Element& stimulus);

}  // namespace tactus::import
