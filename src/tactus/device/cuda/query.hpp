// The platforms of this machine, read from its CUDA devices.
#pragma once

#include <string>
#include <vector>

#include "tactus/model/platform.hpp"

namespace tactus::cuda {

struct DevicePlatform {
  std::string name;  // as the driver spells it
  Platform platform;
};

/// Every CUDA device, in the driver's order; none when there is no device or no driver. What a device does
/// not tell (CPUs, overheads, copy bandwidth, the SM choice rule) keeps its default. FailureError when the
/// driver is there but does not answer.
std::vector<DevicePlatform> query_platforms();

}  // namespace tactus::cuda
