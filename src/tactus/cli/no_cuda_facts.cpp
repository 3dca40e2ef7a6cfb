// A build without CUDA has nothing to say about it.
#include "tactus/cli/cuda_facts.hpp"

namespace tactus::cli {

std::optional<machine::CudaFacts> cuda_facts() { return std::nullopt; }

}  // namespace tactus::cli
