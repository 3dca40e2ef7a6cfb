// Maps the device's clock to the host's.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdint>

#include "tactus/base/time.hpp"

namespace tactus::cuda {

/// The host's clock: steady_clock, in nanoseconds.
using HostInstant = std::chrono::time_point<std::chrono::steady_clock, Duration>;
inline HostInstant host_now() { return std::chrono::steady_clock::now(); }

/// Readings of both clocks at one instant.
struct ClockPair {
  HostInstant host{};
  std::uint64_t device = 0;
  Duration uncertainty{};  // error of the host's reading
};

/// Asks a kernel for the time repeatedly and keeps the fastest answer: the device read its clock between
/// question and answer. Blocks until done.
ClockPair compare_clocks(cudaStream_t stream);

/// Interpolates between two comparisons: the drift of the clocks is constant.
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
