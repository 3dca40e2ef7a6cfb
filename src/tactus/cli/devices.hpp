// The devices that `run` and `measure` may use.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "tactus/base/time.hpp"
#include "tactus/device/device.hpp"

namespace tactus::cli {

/// Which kernel stands for work that is not bound.
inline constexpr const char* usual_kernel = "spin";

/// How long before an instant the engine watches the clock instead of sleeping. A core that never sleeps is
/// woken up by nobody, and so never late: some machines take milliseconds to wake one up.
inline constexpr Duration always_spins = std::chrono::hours{1};

/// InputError in a build without CUDA.
std::unique_ptr<device::Device> make_cuda_device(const std::string& kernel, Duration spin);

}  // namespace tactus::cli
