// How long kernels wait for a GPU that serves them as they come, block by block. gpu_fifo.cpp has the claim
// and its proof.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tactus/analysis/kernel_shares.hpp"
#include "tactus/base/ratio_sum.hpp"
#include "tactus/base/time.hpp"
#include "tactus/model/platform.hpp"

namespace tactus::analysis {

/// Kernels of one kind: at least a period apart, and up to `late` late. Without a period there is one.
struct KernelSource {
  const KernelSegment* kernel = nullptr;
  std::optional<Duration> period;
  Duration late{};
};

class KernelFifo {
 public:
  KernelFifo(std::span<const KernelSource> sources, const Gpu& gpu);

  /// Whether threads are all that can run short.
  [[nodiscard]] bool only_threads() const { return shares_.only_threads(); }
  /// Whether the kernels leave time enough for a bound to exist.
  [[nodiscard]] bool is_bounded() const;
  /// The share of time for which they keep the SMs.
  [[nodiscard]] RatioSum load() const;
  /// For blocks that have begun when the GPU was last not full.
  [[nodiscard]] Duration begun() const;
  /// From when a kernel comes until its last block begins.
  [[nodiscard]] Duration waiting(std::size_t source) const;

 private:
  /// The time of all SMs that a kernel and its lateness take, without the last `spared` blocks.
  [[nodiscard]] Duration demand(const KernelSource& source, std::int64_t spared) const;

  std::span<const KernelSource> sources_;
  KernelShares shares_;
  std::int64_t sms_;
  std::vector<Ratio> load_;
  Duration all_{};
};

}  // namespace tactus::analysis
