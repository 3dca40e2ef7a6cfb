// The platforms of this machine, read from its CUDA devices.
#pragma once

#include <cuda_runtime_api.h>

#include <optional>
#include <string>
#include <vector>

#include "tactus/model/platform.hpp"

namespace tactus::cuda {

/// A property of a device; `what` says what cannot be read if that fails.
int device_attribute(int device, cudaDeviceAttr which, const char* what);

struct DevicePlatform {
  std::string name;  // as reported by the driver
  Platform platform;
};

/// Every CUDA device, in the driver's order; none when there is no device or no driver. What a device does
/// not report (CPUs, overheads, copy bandwidth, the SM choice rule) keeps its default. FailureError when the
/// driver is present but returns an error.
std::vector<DevicePlatform> query_platforms();

/// The newest CUDA version that the driver supports, as CUDA counts (13.0 is 13000); none without a driver.
std::optional<int> driver_version();

}  // namespace tactus::cuda
