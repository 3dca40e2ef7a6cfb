#include "tactus/analysis/kernel_shares.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <variant>

#include "tactus/base/exact.hpp"

namespace tactus::analysis {

namespace {

constexpr Int128 longest_time = std::numeric_limits<std::int64_t>::max();

/// a * b / c, rounded up, c > 0; more than `longest_time` where the product leaves 128 bits.
Int128 scaled_up(Int128 a, Int128 b, Int128 c) {
  Int128 product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return longest_time + 1;
  return product / c + (product % c > 0 ? 1 : 0);
}

Duration checked_time(Int128 nanoseconds) {
  if (nanoseconds > longest_time) throw OverflowError{"the time of a kernel leaves 64 bits of nanoseconds"};
  return Duration{static_cast<std::int64_t>(nanoseconds)};
}

}  // namespace

KernelShares::KernelShares(std::span<const KernelSegment* const> kernels, const Gpu& gpu)
    : gpu_{gpu},
      of_sm_{gpu.blocks_per_sm, gpu.registers_per_sm, gpu.shared_memory_per_sm, gpu.threads_per_sm} {
  Demand divisor = of_sm_;
  for (const KernelSegment* kernel : kernels) {
    longest_block_ = std::max(longest_block_, kernel->block_time.worst);
    const Demand& demand = demands_.emplace_back(demand_of(*kernel));
    for (std::size_t d = 0; d < resources; ++d) {
      divisor[d] = std::gcd(divisor[d], demand[d]);
      most_[d] = std::max(most_[d], demand[d]);
    }
  }
  for (std::size_t d = 0; d < resources; ++d) {
    taken_when_full_[d] = of_sm_[d] - most_[d] + divisor[d];
    counts_[d] = most_[d] > 0;  // what no kernel needs delays no block
  }
  for (std::size_t d = 0; d < resources; ++d) counts_[d] = counts_[d] && !is_covered(d);
}

KernelShares::Demand KernelShares::demand_of(const KernelSegment& kernel) const {
  const BlockDemand demand = block_demand(kernel, gpu_);
  return {1, demand.registers, demand.shared_memory, demand.threads};
}

bool KernelShares::is_covered(std::size_t resource) const {
  for (std::size_t other = 0; other < resources; ++other) {
    if (other == resource || !counts_[other]) continue;
    // More of `resource` than M - max is taken: then, of the other, more than that divided by the largest
    // ratio is.
    const bool covers = std::ranges::all_of(demands_, [&](const Demand& demand) {
      if (demand[resource] == 0) return true;
      return demand[other] > 0 && static_cast<Int128>(of_sm_[resource] - most_[resource]) * demand[other] >=
                                      static_cast<Int128>(of_sm_[other] - most_[other]) * demand[resource];
    });
    if (covers) return true;
  }
  return false;
}

bool KernelShares::only_threads() const {
  return counts_[threads] && !counts_[slots] && !counts_[registers] && !counts_[shared_memory];
}

Duration KernelShares::time_of(const KernelSegment& kernel, std::int64_t blocks, std::int64_t sms) const {
  const auto work = static_cast<Int128>(blocks) * kernel.block_time.worst.count();
  const Demand demand = demand_of(kernel);
  Int128 longest = 0;
  for (std::size_t d = 0; d < resources; ++d) {
    if (demand[d] == 0 || !counts_[d]) continue;
    longest = std::max(longest, scaled_up(work, demand[d], static_cast<Int128>(taken_when_full_[d]) * sms));
  }
  return checked_time(longest);
}

const KernelSegment* only_kernel(const Task& task) {
  return task.work.nodes.size() == 1 ? std::get_if<KernelSegment>(&task.work.nodes.front().segment) : nullptr;
}

Int128 KernelShares::taken_by_begun(std::size_t resource, std::int64_t sms) const {
  return static_cast<Int128>(of_sm_[resource]) * sms - most_[resource];
}

/// A share is at most the sum of q_d / a_d, and at most q_d times the largest share of what needs one of d.
Duration KernelShares::time_of_begun(std::int64_t sms) const {
  const Int128 longest = longest_block_.count();
  const auto full = [&](std::size_t d) { return static_cast<Int128>(taken_when_full_[d]) * sms; };
  Int128 least = 0;
  for (std::size_t d = 0; d < resources; ++d) {
    if (counts_[d]) least += scaled_up(longest, taken_by_begun(d, sms), full(d));
  }
  for (std::size_t d = 0; d < resources; ++d) {
    const bool all_need_it =
        std::ranges::all_of(demands_, [d](const Demand& demand) { return demand[d] > 0; });
    if (!all_need_it) continue;
    const Int128 taken = longest * taken_by_begun(d, sms);
    Int128 most = 0;
    for (const Demand& demand : demands_) {
      for (std::size_t e = 0; e < resources; ++e) {
        if (counts_[e]) most = std::max(most, scaled_up(taken, demand[e], full(e) * demand[d]));
      }
    }
    least = std::min(least, most);
  }
  return checked_time(least);
}

Duration KernelShares::time_alone(const KernelSegment& kernel, std::int64_t sms) const {
  return checked_add(kernel.block_time.worst, time_of(kernel, kernel.blocks() - 1, sms));
}

}  // namespace tactus::analysis
