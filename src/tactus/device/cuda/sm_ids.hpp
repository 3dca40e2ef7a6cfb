// Finds the SMs that a stream's kernels run on, by running one.
#pragma once

#include <cuda_runtime_api.h>

#include "tactus/device/cuda/sm_set.hpp"

namespace tactus::cuda {

/// Fills `expected` SMs briefly and records where the blocks ran. Blocks until done. Other work on these SMs
/// makes it slower; FailureError if several tries saw another number of SMs.
SmSet find_sm_ids(cudaStream_t stream, int expected);

}  // namespace tactus::cuda
