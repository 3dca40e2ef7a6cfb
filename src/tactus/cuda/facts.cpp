#include "tactus/cuda/facts.hpp"

#include "tactus/base/error.hpp"
#include "tactus/device/cuda/partition.hpp"
#include "tactus/device/cuda/query.hpp"

namespace tactus::cuda {

namespace {

/// The smallest number of SMs in a partition; 0 if the driver does not support partitions.
std::int32_t granularity_of(int device) {
  try {
    return partition_granularity(device, Coscheduling::ignored).group;
  } catch (const FailureError&) {
    return 0;
  }
}

}  // namespace

machine::CudaFacts read_facts() {
  machine::CudaFacts facts;
  try {
    facts.version = driver_version();
    for (const auto& [name, platform] : query_platforms()) {
      const Gpu& gpu = platform.gpu;
      const int device = static_cast<int>(facts.devices.size());
      facts.devices.push_back({name, gpu.sms, gpu.priority_levels, gpu.copy_engines, granularity_of(device)});
    }
  } catch (const FailureError& error) {
    facts.failure = error.what();
  }
  return facts;
}

}  // namespace tactus::cuda
