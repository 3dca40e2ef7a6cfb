// Everything a program needs to run tasks: a device, a system, functions bound to its tasks, and the report.
//
//   tactus::Runtime runtime{tactus::host_device(), tactus::load("robot.yaml")};
//   runtime.bind("lidar", [&](tactus::Job& job) { filter_scan(); });
//   const tactus::RunReport report = runtime.run_for(10s);
//
// For a GPU also <tactus/cuda/device.hpp> and tactus::cuda. See docs/runtime.md.
#pragma once

#include <memory>

#include "tactus/device/host/host_device.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/model/presets.hpp"
#include "tactus/runtime/runtime.hpp"

namespace tactus {

/// Threads of this machine that act as GPU, copy engines and CPU cores: every program runs anywhere.
inline std::unique_ptr<device::Device> host_device(const device::HostOptions& options = {}) {
  return device::make_host_device(options);
}

}  // namespace tactus
