// A device for `tactus::Runtime` that runs on an NVIDIA GPU.
//
//   tactus::Runtime runtime{tactus::cuda_device(), tactus::load("robot.yaml")};
//   runtime.bind("detector", [&](tactus::cuda::Job& job) {
//     detect<<<blocks, 256, 0, job.stream()>>>(frame, boxes);
//   });
#pragma once

#include <memory>

#include "tactus/device/cuda/cuda_device.hpp"
#include "tactus/device/cuda/job.hpp"

namespace tactus {

using CudaOptions = device::CudaOptions;

/// FailureError when the machine has no such device.
inline std::unique_ptr<device::Device> cuda_device(const CudaOptions& options = {}) {
  return device::make_cuda_device(options);
}

}  // namespace tactus
