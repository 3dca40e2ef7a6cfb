// The bare problem behind block-rta: kernels with equal blocks, served by slots.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tactus/base/time.hpp"

namespace tactus::analysis {

/// One kernel of the bare problem.
struct EqualBlockKernel {
  Time release{};
  Duration block_time{};
  std::int64_t blocks = 0;
};

/// Completion of every kernel on `slots` slots; kernels of equal release are served in the order given. The
/// cost depends on the number of kernels, not on the numbers of blocks or waves. OverflowError past 64 bits.
std::vector<Time> equal_block_completions(std::span<const EqualBlockKernel> kernels, std::int64_t slots);

}  // namespace tactus::analysis
