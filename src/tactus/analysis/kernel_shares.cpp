#include "tactus/analysis/kernel_shares.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "tactus/base/exact.hpp"

namespace tactus::analysis {

KernelShares::KernelShares(std::span<const KernelSegment* const> kernels, const Gpu& gpu) : gpu_{gpu} {
  const std::vector<std::int64_t> of_sm{gpu.blocks_per_sm, gpu.threads_per_sm, gpu.shared_memory_per_sm,
                                        gpu.registers_per_sm};
  std::vector<std::int64_t> divisor = of_sm;
  std::vector<std::int64_t> most(of_sm.size(), 0);
  for (const KernelSegment* kernel : kernels) {
    longest_block_ = std::max(longest_block_, kernel->block_time.worst);
    const Demand demand = demand_of(*kernel);
    for (std::size_t d = 0; d < demand.size(); ++d) {
      divisor[d] = std::gcd(divisor[d], demand[d]);
      most[d] = std::max(most[d], demand[d]);
    }
  }
  // A resource that no kernel needs delays no block: its demand is 0, so this divisor is never used for it.
  for (std::size_t d = 0; d < of_sm.size(); ++d) taken_when_full_.push_back(of_sm[d] - most[d] + divisor[d]);
}

KernelShares::Demand KernelShares::demand_of(const KernelSegment& kernel) const {
  const BlockDemand demand = block_demand(kernel, gpu_);
  return {1, demand.threads, demand.shared_memory, demand.registers};
}

Duration KernelShares::time_of(const KernelSegment& kernel, std::int64_t blocks, std::int64_t sms) const {
  const auto work = static_cast<Int128>(blocks) * kernel.block_time.worst.count();
  const Demand demand = demand_of(kernel);
  Int128 longest = 0;
  for (std::size_t d = 0; d < demand.size(); ++d) {
    if (demand[d] == 0) continue;
    const Int128 full = static_cast<Int128>(taken_when_full_[d]) * sms;
    Int128 needed = 0;
    const bool is_beyond = __builtin_mul_overflow(work, static_cast<Int128>(demand[d]), &needed);
    if (is_beyond || (needed - 1) / full >= std::numeric_limits<std::int64_t>::max()) {
      throw OverflowError{"the time of a kernel leaves 64 bits of nanoseconds"};
    }
    longest = std::max(longest, (needed + full - 1) / full);
  }
  return Duration{static_cast<std::int64_t>(longest)};
}

Duration KernelShares::time_alone(const KernelSegment& kernel, std::int64_t sms) const {
  return checked_add(kernel.block_time.worst, time_of(kernel, kernel.blocks() - 1, sms));
}

}  // namespace tactus::analysis
