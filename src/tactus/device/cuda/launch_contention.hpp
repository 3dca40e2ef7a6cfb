// What threads of one process that launch at the same time do to each other: they share locks of the driver.
#pragma once

#include <span>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/base/watch.hpp"

namespace tactus::cuda {

struct LaunchesBeside {
  int threads = 0;              // that enqueue without end meanwhile
  std::vector<Duration> calls;  // a launch and the signal after it, without waiting for its end
};

/// FailureError when CUDA fails.
std::vector<LaunchesBeside> measure_launches_beside(int device, std::span<const int> threads, int samples,
                                                    const Watch& watch);

}  // namespace tactus::cuda
