// Everything a program needs to run tasks: `#include <tactus/runtime.hpp>`, link tactus::tactus. For a GPU
// also <tactus/cuda/device.hpp> and tactus::cuda. See docs/runtime.md.
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
