// The device's clock beside the host's.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdint>

#include "tactus/base/time.hpp"

namespace tactus::cuda {

/// The host's clock: what steady_clock shows, in nanoseconds.
using HostInstant = std::chrono::time_point<std::chrono::steady_clock, Duration>;

/// Both clocks at one instant.
struct ClockPair {
  HostInstant host{};
  std::uint64_t device = 0;
  Duration uncertainty{};  // the host's instant may be off by so much
};

/// Asks a kernel for the time, many times, and keeps the answer that came fastest: the device read its clock
/// at some instant between question and answer. Waits for it.
ClockPair compare_clocks(cudaStream_t stream);

/// Instants between two comparisons: clocks drift, but evenly.
class ClockMap {
 public:
  ClockMap(const ClockPair& first, const ClockPair& last) : first_{first}, last_{last} {}

  [[nodiscard]] HostInstant host(std::uint64_t device) const;
  [[nodiscard]] Duration uncertainty() const {
    return first_.uncertainty > last_.uncertainty ? first_.uncertainty : last_.uncertainty;
  }

 private:
  ClockPair first_;
  ClockPair last_;
};

}  // namespace tactus::cuda
