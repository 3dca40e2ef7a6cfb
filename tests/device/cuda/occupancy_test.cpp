// The blocks that an SM holds are those of NVIDIA's own calculator, for every preset. It needs no device.
#include <cuda_occupancy.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "tactus/model/presets.hpp"
#include "tactus/model/segment.hpp"

namespace tactus::cuda {
namespace {

constexpr int launched_without_asking = 48 * 1024;  // bytes of shared memory: all that CC 6 gives a block

struct Launch {
  int threads = 0;
  int registers = 0;  // of a thread
  int shared_memory = 0;
};

cudaOccDeviceProp properties_of(const Preset& preset) {
  const Gpu& gpu = preset.platform.gpu;
  const std::string capability{preset.compute_capability};
  cudaOccDeviceProp properties{};
  properties.computeMajor = std::stoi(capability);
  properties.computeMinor = std::stoi(capability.substr(capability.find('.') + 1));
  properties.maxThreadsPerBlock = 1024;
  properties.maxThreadsPerMultiprocessor = gpu.threads_per_sm;
  properties.regsPerBlock = static_cast<int>(gpu.registers_per_sm);
  properties.regsPerMultiprocessor = static_cast<int>(gpu.registers_per_sm);
  properties.warpSize = gpu.warp;
  properties.numSms = gpu.sms;
  properties.sharedMemPerBlock = launched_without_asking;
  properties.sharedMemPerMultiprocessor = static_cast<std::size_t>(gpu.shared_memory_per_sm);
  properties.reservedSharedMemPerBlock = static_cast<std::size_t>(gpu.shared_memory_reserved);
  properties.sharedMemPerBlockOptin =
      properties.computeMajor == 6
          ? launched_without_asking
          : static_cast<std::size_t>(gpu.shared_memory_per_sm - gpu.shared_memory_reserved);
  return properties;
}

int calculated(const cudaOccDeviceProp& properties, const Launch& launch) {
  cudaOccFuncAttributes attributes{};
  attributes.maxThreadsPerBlock = 1024;
  attributes.numRegs = launch.registers;
  attributes.maxDynamicSharedSizeBytes = static_cast<std::size_t>(launch.shared_memory);
  attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  attributes.partitionedGCConfig = PARTITIONED_GC_OFF;
  attributes.numBlockBarriers = 1;
  cudaOccDeviceState state{};
  state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
  cudaOccResult result{};
  const cudaOccError error =
      cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &attributes, &state, launch.threads,
                                              static_cast<std::size_t>(launch.shared_memory));
  return error == CUDA_OCC_SUCCESS ? result.activeBlocksPerMultiprocessor : -1;
}

std::int64_t of_the_model(const Gpu& gpu, const Launch& launch) {
  KernelSegment kernel;
  kernel.block = launch.threads;
  kernel.registers = std::int64_t{launch.registers} * launch.threads;
  kernel.shared_memory = launch.shared_memory;
  return blocks_per_sm(block_demand(kernel, gpu), gpu);
}

TEST(Occupancy, IsThatOfNvidiasCalculator) {
  for (const Preset& preset : presets()) {
    const cudaOccDeviceProp properties = properties_of(preset);
    const int most = static_cast<int>(properties.sharedMemPerBlockOptin);
    for (int threads = 32; threads <= 1024; threads += 32) {
      for (int registers = 1; registers <= 255; ++registers) {
        const Launch launch{threads, registers, 0};
        ASSERT_EQ(of_the_model(preset.platform.gpu, launch), calculated(properties, launch))
            << preset.name << ": " << threads << " threads, " << registers << " registers";
      }
      for (int bytes = 0; bytes <= most; bytes += 700) {
        const Launch launch{threads, 32, bytes};
        ASSERT_EQ(of_the_model(preset.platform.gpu, launch), calculated(properties, launch))
            << preset.name << ": " << threads << " threads, " << bytes << " bytes";
      }
    }
  }
}

}  // namespace
}  // namespace tactus::cuda
