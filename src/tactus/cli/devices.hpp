// The devices that users can select.
//
// To add one, write a DeviceEntry and put it into the list in devices.cpp.
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

/// The kernel that stands in for work without a binding.
inline constexpr const char* usual_kernel = "spin";

/// The user's choice of device, and the settings of the engine.
struct DeviceChoice {
  std::string device;   // its name
  std::string waiting;  // spin, sleep, or empty
  std::optional<int> core;
};

struct DeviceEntry {
  std::string_view name;
  std::string_view meaning;                       // for users
  machine::Target target = machine::Target::any;  // what `tactus doctor` judges the machine for
  std::string_view absent{};                      // says that a build is without it
  std::string_view how_to_build{};                // what to do about that
  /// InputError if there is no such kernel. Null in a build without this device.
  std::unique_ptr<device::Device> (*make)(const DeviceChoice& choice, const std::string& kernel) = nullptr;
  /// Queries the driver; null if there is none to query.
  machine::CudaFacts (*facts)() = nullptr;
  const measure::Measurements* measurements = nullptr;
};

extern const DeviceEntry cuda_device;

/// All names, including devices that this build does not have.
std::vector<std::string> device_names();
const DeviceEntry& device_named(std::string_view name);

/// InputError in a build without this device. `instead`: what the user can do without it.
void require_built_in(const DeviceEntry& device, std::string_view instead);

/// --device, --wait and --core.
void add_device_options(Verb verb, DeviceChoice& choice);

/// The options as given on the command line.
std::string words_of(const DeviceChoice& choice);

/// InputError if the build, the machine or the device does not provide the choice.
std::unique_ptr<device::Device> make_device(const DeviceChoice& choice,
                                            const std::string& kernel = usual_kernel);

}  // namespace tactus::cli
