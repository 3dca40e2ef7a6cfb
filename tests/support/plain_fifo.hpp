// The bounds of kernels that are served as they come, straight from the formula, in floating point. Terms can
// be left out.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "tactus/model/system.hpp"

namespace tactus::test {

struct FifoTerms {
  bool begun = true;             // blocks that have begun when the GPU was last not full
  bool other_sms = true;         // of these, the ones on the SMs that are full
  bool left_free = true;         // room that a waiting block leaves free
  bool first_of_each = true;     // a kernel of each task beyond its rate
  bool other_blocks_too = true;  // of the own kernel, all blocks but the last
  bool late = true;              // more kernels because some come late
  bool all_resources = true;     // else threads alone
};

/// Kernels of one kind, in nanoseconds.
struct PlainKernel {
  const KernelSegment* kernel = nullptr;
  double period = std::numeric_limits<double>::infinity();
  double late = 0;
};

/// From when each comes until its last block has ended; empty: they need more than the GPU.
std::vector<double> plain_kernel_responses(std::span<const PlainKernel> kernels, const Gpu& gpu,
                                           const FifoTerms& terms = {});

/// By task, in nanoseconds; empty: the kernels need more than the GPU. For systems to which gpu-fifo-multi
/// applies.
std::vector<double> plain_fifo_bounds(const System& system, const FifoTerms& terms = {});

}  // namespace tactus::test
