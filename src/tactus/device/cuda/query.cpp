#include "tactus/device/cuda/query.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tactus/device/cuda/error.hpp"

namespace tactus::cuda {

namespace {

/// Some queries of the runtime apply to the current device only; this changes it temporarily.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device) {
    check(cudaGetDevice(&former_), "cannot read the current device");
    check(cudaSetDevice(device), "cannot use the device");
  }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;
  ~CurrentDevice() { cudaSetDevice(former_); }

 private:
  int former_ = 0;
};

std::int32_t stream_priority_levels(int device) {
  const CurrentDevice current{device};
  int least = 0;
  int greatest = 0;
  check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cannot read the stream priorities");
  return least - greatest + 1;  // smaller numbers are more urgent
}

Gpu query_gpu(int device) {
  Gpu gpu;
  gpu.sms = device_attribute(device, cudaDevAttrMultiProcessorCount, "cannot read the number of SMs");
  gpu.threads_per_sm =
      device_attribute(device, cudaDevAttrMaxThreadsPerMultiProcessor, "cannot read the threads of an SM");
  gpu.blocks_per_sm =
      device_attribute(device, cudaDevAttrMaxBlocksPerMultiprocessor, "cannot read the blocks of an SM");
  gpu.shared_memory_per_sm = device_attribute(device, cudaDevAttrMaxSharedMemoryPerMultiprocessor,
                                              "cannot read the shared memory of an SM");
  gpu.registers_per_sm = device_attribute(device, cudaDevAttrMaxRegistersPerMultiprocessor,
                                          "cannot read the registers of an SM");
  // CUDA does not say these; the presets have them, too (model/presets.cpp).
  const int major =
      device_attribute(device, cudaDevAttrComputeCapabilityMajor, "cannot read the device's age");
  const int minor =
      device_attribute(device, cudaDevAttrComputeCapabilityMinor, "cannot read the device's age");
  gpu.shared_memory_unit = major < 8 ? 256 : 128;
  gpu.register_unit = 256;
  gpu.register_files = major == 6 && minor == 0 ? 2 : 4;
  gpu.shared_memory_reserved = device_attribute(device, cudaDevAttrReservedSharedMemoryPerBlock,
                                                "cannot read the shared memory that a block loses");
  gpu.warp = device_attribute(device, cudaDevAttrWarpSize, "cannot read the warp size");
  gpu.copy_engines =
      device_attribute(device, cudaDevAttrAsyncEngineCount, "cannot read the number of copy engines");
  gpu.priority_levels = stream_priority_levels(device);
  return gpu;
}

DevicePlatform query_platform(int device) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "cannot read the device's name");
  Platform platform;
  platform.gpu = query_gpu(device);
  return {properties.name, std::move(platform)};
}

int count_devices() {
  if (!driver_version()) return 0;
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaErrorNoDevice) return 0;
  check(status, "cannot count the devices");
  return count;
}

}  // namespace

int device_attribute(int device, cudaDeviceAttr which, const char* what) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, device), what);
  return value;
}

std::optional<int> driver_version() {
  // Without a driver the runtime reports a version error; queried for the version, it returns 0.
  int version = 0;
  check(cudaDriverGetVersion(&version), "cannot read the driver's version");
  if (version == 0) return std::nullopt;
  return version;
}

std::vector<DevicePlatform> query_platforms() {
  std::vector<DevicePlatform> platforms;
  const int count = count_devices();
  platforms.reserve(static_cast<std::size_t>(count));
  for (int device = 0; device < count; ++device) platforms.push_back(query_platform(device));
  return platforms;
}

}  // namespace tactus::cuda
