#include "tactus/cli/devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tactus/base/error.hpp"
#include "tactus/base/threads.hpp"
#include "tactus/device/host/host_device.hpp"

namespace tactus::cli {

namespace {

std::unique_ptr<device::Device> make_host_device(const DeviceChoice& choice, const std::string& kernel) {
  if (kernel != usual_kernel) {
    throw InputError{"--kernel: the host device has no kernel `" + kernel + "`",
                     "its work takes its time (`spin`); other kernels need `--device cuda`"};
  }
  device::HostOptions host;
  if (choice.waiting == "spin") host.spin = device::always_spins;
  return device::make_host_device(host);
}

constexpr DeviceEntry host_device{.name = "host",
                                  .meaning = "threads of this machine",
                                  .target = machine::Target::host,
                                  .make = &make_host_device,
                                  .measurements = &measure::host_measurements};

constexpr std::array all_devices{&host_device, &cuda_device};

void require_usable(std::optional<int> core) {
  if (!core) return;
  const std::vector<int> usable = available_cpus();
  if (std::find(usable.begin(), usable.end(), *core) != usable.end()) return;
  throw InputError{fmt::format("--core: this program may not use CPU {}", *core),
                   fmt::format("it may use {}", fmt::join(usable, ", "))};
}

}  // namespace

std::vector<std::string> device_names() {
  std::vector<std::string> names;
  names.reserve(all_devices.size());
  for (const DeviceEntry* device : all_devices) names.emplace_back(device->name);
  return names;
}

const DeviceEntry& device_named(std::string_view name) {
  for (const DeviceEntry* device : all_devices) {
    if (device->name == name) return *device;
  }
  throw InputError{fmt::format("there is no device `{}`", name)};
}

void require_built_in(const DeviceEntry& device, std::string_view instead) {
  if (device.make != nullptr) return;
  throw InputError{std::string{device.absent}, fmt::format("{}{}", device.how_to_build, instead)};
}

void add_device_options(Verb verb, DeviceChoice& choice) {
  std::string meanings;
  for (const DeviceEntry* device : all_devices) {
    meanings += fmt::format("{}{}: {}", meanings.empty() ? "" : "; ", device->name, device->meaning);
  }
  verb.add_option("--device", choice.device, meanings).required().one_of(device_names());
  verb.add_option("--wait", choice.waiting,
                  "How the engine waits: spin keeps a core busy, sleep wakes up shortly before (default: "
                  "spin with cuda, sleep with host)")
      .one_of({"spin", "sleep"});
  verb.add_option("--core", choice.core,
                  "The CPU of the engine; threads of the device keep off it (default: any)");
}

std::string words_of(const DeviceChoice& choice) {
  std::string words = "--device " + choice.device;
  if (!choice.waiting.empty()) words += " --wait " + choice.waiting;
  if (choice.core) words += fmt::format(" --core {}", *choice.core);
  return words;
}

std::unique_ptr<device::Device> make_device(const DeviceChoice& choice, const std::string& kernel) {
  require_usable(choice.core);
  const DeviceEntry& device = device_named(choice.device);
  require_built_in(device, ", or use `--device host`");
  return device.make(choice, kernel);
}

}  // namespace tactus::cli
