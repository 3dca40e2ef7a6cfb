// An NVIDIA GPU.
#pragma once

#include <memory>

#include "accelerator.hpp"

namespace hog {

/// FailureError when there is none.
std::unique_ptr<Accelerator> make_cuda_accelerator();

}  // namespace hog
