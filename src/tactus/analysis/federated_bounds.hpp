// Response bounds of all tasks of a federated system, most urgent first, on given SMs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tactus/analysis/federated_response.hpp"

namespace tactus::analysis {

/// By place in the order of urgency.
struct FederatedAnswer {
  /// R + J, as far as it is proven: also beyond the deadline, but not beyond the period. Nothing after the
  /// first task that fails: its interference on the others is not known.
  std::vector<std::optional<Duration>> bounds;
  std::optional<std::size_t> fails;  // the first task that does not keep its deadline
  bool gave_up = false;              // it fails because a fixed point was not found in a million rounds
  FederatedBounds failed;            // R1 to R4 of the task that fails
  std::vector<MoreUrgent> proven;    // the tasks before it

  [[nodiscard]] bool holds() const { return !fails; }
};

/// `sms`: physical SMs of each task, most urgent first; the tasks need the stages for them.
FederatedAnswer bound_responses(const FederatedTasks& tasks, FederatedTest test,
                                std::span<const std::int64_t> sms);

/// The SMs that the system gives; it must be complete.
std::vector<std::int64_t> given_sms(const FederatedTasks& tasks);

}  // namespace tactus::analysis
