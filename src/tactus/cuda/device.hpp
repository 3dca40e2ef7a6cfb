// A device for `tactus::Runtime` that runs on an NVIDIA GPU. Link tactus::cuda.
//
//   tactus::Runtime runtime{tactus::cuda_device(), tactus::load("robot.yaml")};
//   runtime.bind("detector", [&](tactus::cuda::Job& job) {
//     detect<<<blocks, 256, 0, job.stream()>>>(frame, boxes);
//   });
//
// Also the platforms of this machine (`query_platforms`), memory of device and host (`DeviceBuffer`,
// `PinnedBuffer`), partitions of the SMs (`Partitions`) and streams. See docs/cuda-kernels.md.
#pragma once

#include <memory>

#include "tactus/device/cuda/cuda_device.hpp"
#include "tactus/device/cuda/job.hpp"
#include "tactus/device/cuda/memory.hpp"
#include "tactus/device/cuda/partition.hpp"
#include "tactus/device/cuda/query.hpp"
#include "tactus/device/cuda/stream.hpp"

namespace tactus {

using CudaOptions = device::CudaOptions;

/// FailureError when the machine has no such device.
inline std::unique_ptr<device::Device> cuda_device(const CudaOptions& options = {}) {
  return device::make_cuda_device(options);
}

}  // namespace tactus
