// What CUDA says about the GPUs here, for builds with CUDA and without.
#pragma once

#include <optional>

#include "tactus/machine/gpu_facts.hpp"

namespace tactus::cli {

/// Nothing in a build without CUDA.
std::optional<machine::CudaFacts> cuda_facts();

}  // namespace tactus::cli
