// The devices that `run` and `measure` may use.
#pragma once

#include <memory>
#include <string>

#include "tactus/device/device.hpp"

namespace tactus::cli {

/// Which kernel stands for work that is not bound.
inline constexpr const char* usual_kernel = "spin";

/// InputError in a build without CUDA.
std::unique_ptr<device::Device> make_cuda_device(const std::string& kernel);

}  // namespace tactus::cli
