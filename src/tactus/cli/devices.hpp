// The devices that a user can name.
//
// To add one: write a DeviceEntry and put it into the list in devices.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/cli/verb.hpp"
#include "tactus/device/device.hpp"
#include "tactus/machine/doctor.hpp"
#include "tactus/measure/measurements.hpp"

namespace tactus::cli {

/// Which kernel stands for work that is not bound.
inline constexpr const char* usual_kernel = "spin";

/// What the user says about the device and the engine that uses it.
struct DeviceChoice {
  std::string device;   // its name
  std::string waiting;  // spin, sleep, or nothing
  std::optional<int> core;
};

struct DeviceEntry {
  std::string_view name;
  std::string_view meaning;                       // for people
  machine::Target target = machine::Target::any;  // for which `tactus doctor` judges the machine
  /// InputError where it has no such kernel. Null in a build that has not this device.
  std::unique_ptr<device::Device> (*make)(const DeviceChoice& choice, const std::string& kernel) = nullptr;
  /// What its driver says; null where nothing is to be asked.
  machine::CudaFacts (*facts)() = nullptr;
  const measure::Measurements* measurements = nullptr;
};

extern const DeviceEntry cuda_device;

/// All names, also those of devices that this build has not.
std::vector<std::string> device_names();
const DeviceEntry& device_named(std::string_view name);

/// InputError in a build without this device. `instead`: what the user could do without it.
void require_built_in(const DeviceEntry& device, std::string_view instead);

/// --device, --wait and --core.
void add_device_options(Verb verb, DeviceChoice& choice);

/// The options as they were given.
std::string words_of(const DeviceChoice& choice);

/// InputError when the build, the machine or the device has not what was chosen.
std::unique_ptr<device::Device> make_device(const DeviceChoice& choice,
                                            const std::string& kernel = usual_kernel);

}  // namespace tactus::cli
