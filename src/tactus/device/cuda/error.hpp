// CUDA errors as failures of Tactus.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <string_view>

namespace tactus::cuda {

/// "CUDA: <what>: <name>: <message>".
std::string failure_text(std::string_view what, cudaError_t status);

/// FailureError unless the call succeeded. `what` says what failed, for instance "cannot create a stream".
void check(cudaError_t status, std::string_view what);

}  // namespace tactus::cuda
