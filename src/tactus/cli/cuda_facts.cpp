#include "tactus/cli/cuda_facts.hpp"

#include "tactus/base/error.hpp"
#include "tactus/device/cuda/query.hpp"

namespace tactus::cli {

std::optional<runtime::CudaFacts> cuda_facts() {
  runtime::CudaFacts facts;
  try {
    facts.version = cuda::driver_version();
    for (const auto& [name, platform] : cuda::query_platforms()) {
      const Gpu& gpu = platform.gpu;
      facts.devices.push_back({name, gpu.sms, gpu.priority_levels, gpu.copy_engines, std::nullopt});
    }
  } catch (const FailureError& error) {
    facts.failure = error.what();
  }
  return facts;
}

}  // namespace tactus::cli
