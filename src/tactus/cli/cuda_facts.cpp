#include "tactus/cli/cuda_facts.hpp"

#include "tactus/base/error.hpp"
#include "tactus/device/cuda/partition.hpp"
#include "tactus/device/cuda/query.hpp"

namespace tactus::cli {

namespace {

/// SMs of the smallest group that Tactus can make; 0 where the driver makes none.
std::int32_t granularity_of(int device) {
  try {
    return cuda::partition_granularity(device, cuda::Coscheduling::ignored).group;
  } catch (const FailureError&) {
    return 0;
  }
}

}  // namespace

std::optional<machine::CudaFacts> cuda_facts() {
  machine::CudaFacts facts;
  try {
    facts.version = cuda::driver_version();
    for (const auto& [name, platform] : cuda::query_platforms()) {
      const Gpu& gpu = platform.gpu;
      const int device = static_cast<int>(facts.devices.size());
      facts.devices.push_back({name, gpu.sms, gpu.priority_levels, gpu.copy_engines, granularity_of(device)});
    }
  } catch (const FailureError& error) {
    facts.failure = error.what();
  }
  return facts;
}

}  // namespace tactus::cli
