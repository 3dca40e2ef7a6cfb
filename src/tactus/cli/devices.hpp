// The devices that `run` and `measure` may use.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tactus/base/time.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/device/device.hpp"

namespace tactus::cli {

/// Which kernel stands for work that is not bound.
inline constexpr const char* usual_kernel = "spin";

/// What the user says about the device and the engine that uses it.
struct DeviceChoice {
  std::string device;   // host or cuda
  std::string waiting;  // spin, sleep, or nothing
  std::optional<int> core;
};

/// --device, --wait and --core.
void add_device_options(Verb verb, DeviceChoice& choice);

/// The options as they were given.
std::string words_of(const DeviceChoice& choice);

/// InputError when the build, the machine or the device has not what was chosen.
std::unique_ptr<device::Device> make_device(const DeviceChoice& choice,
                                            const std::string& kernel = usual_kernel);

/// `spin`: how long before an instant the engine watches the clock instead of sleeping. InputError in a build
/// without CUDA.
std::unique_ptr<device::Device> make_cuda_device(const std::string& kernel, Duration spin);

}  // namespace tactus::cli
