// Which SMs a stream's kernels run on, found by running one.
#pragma once

#include <cuda_runtime_api.h>

#include "tactus/device/cuda/sm_set.hpp"

namespace tactus::cuda {

/// Fills `expected` SMs for a moment and notes where the blocks ran. Waits for it. Other work on these SMs
/// makes it take longer; FailureError if after several tries another number of SMs was seen.
SmSet find_sm_ids(cudaStream_t stream, int expected);

}  // namespace tactus::cuda
