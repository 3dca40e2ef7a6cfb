// The stages on a GPU.
#pragma once

#include <cuda_runtime_api.h>

#include "geometry.hpp"
#include "stage_math.hpp"

namespace hog {

/// Enqueues the kernel of a stage. With `times`, a variant of it notes how many nanoseconds each block took.
void enqueue_stage(Stage stage, const Level& level, const FrameData& data, cudaStream_t stream,
                   unsigned long long* times = nullptr);

/// What the driver says of the kernel.
cudaFuncAttributes attributes_of(Stage stage);

}  // namespace hog
