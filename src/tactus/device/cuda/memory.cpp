#include "tactus/device/cuda/memory.hpp"

#include <cuda_runtime_api.h>

#include <cstring>
#include <string>

#include "tactus/device/cuda/error.hpp"

namespace tactus::cuda::detail {

void* allocate_device(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes),
        "cannot allocate " + std::to_string(bytes) + " bytes of the device's memory");
  std::unique_ptr<void, FreeDevice> owner{memory};
  check(cudaMemset(memory, 0, bytes), "cannot clear memory of the device");
  // The memset is asynchronous, and our streams do not wait for the default stream.
  check(cudaStreamSynchronize(nullptr), "cannot clear memory of the device");
  return owner.release();
}

void* allocate_pinned(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, bytes, cudaHostAllocPortable | cudaHostAllocMapped),
        "cannot allocate " + std::to_string(bytes) + " bytes of locked memory");
  std::memset(memory, 0, bytes);
  return memory;
}

// Errors are ignored: if the context is gone, its memory has been freed already.
void FreeDevice::operator()(void* memory) const noexcept { static_cast<void>(cudaFree(memory)); }
void FreePinned::operator()(void* memory) const noexcept { static_cast<void>(cudaFreeHost(memory)); }

}  // namespace tactus::cuda::detail
