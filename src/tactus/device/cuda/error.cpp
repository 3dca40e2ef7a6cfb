#include "tactus/device/cuda/error.hpp"

#include "tactus/base/error.hpp"

namespace tactus::cuda {

std::string failure_text(std::string_view what, cudaError_t status) {
  return "CUDA: " + std::string{what} + ": " + cudaGetErrorName(status) + ": " + cudaGetErrorString(status);
}

void check(cudaError_t status, std::string_view what) {
  if (status == cudaSuccess) return;
  // Clears the error, which the runtime would otherwise return for a later call.
  static_cast<void>(cudaGetLastError());
  throw FailureError{failure_text(what, status)};
}

}  // namespace tactus::cuda
