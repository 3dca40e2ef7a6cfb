#include "tactus/model/segment.hpp"

#include <algorithm>

namespace tactus {

BlockDemand block_demand(const KernelSegment& kernel, const Gpu& gpu) {
  return {.threads = checked_mul(ceil_div(kernel.block, gpu.warp), gpu.warp),
          .shared_memory = kernel.shared_memory,
          .registers = kernel.registers};
}

std::int64_t blocks_per_sm(const BlockDemand& demand, const Gpu& gpu) {
  std::int64_t fit = gpu.blocks_per_sm;
  if (demand.threads > 0) fit = std::min(fit, gpu.threads_per_sm / demand.threads);
  if (demand.shared_memory > 0) fit = std::min(fit, gpu.shared_memory_per_sm / demand.shared_memory);
  if (demand.registers > 0) fit = std::min(fit, gpu.registers_per_sm / demand.registers);
  return fit;
}

const char* kind_name(const Segment& segment) {
  constexpr std::array<const char*, std::variant_size_v<Segment>> names{"cpu", "copy", "kernel", "gpu",
                                                                        "exclusive"};
  return names.at(segment.index());
}

}  // namespace tactus
