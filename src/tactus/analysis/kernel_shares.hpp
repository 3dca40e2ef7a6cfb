// How long kernels keep a GPU on which blocks of several kernels run side by side.
//
// Claim: let block i need q_id of resource d (threads, slots, shared memory, registers), of which an SM has
// M_d.
//   a_d = M_d - max over all kernels of q_id + gcd(M_d, all q_id),   share_i = max over d of q_id / a_d
// Whenever a block of one of these kernels fits no SM, the shares of the blocks on every SM add up to 1 or
// more. So as long as a kernel of n blocks of length p waits for room, the whole GPU of G SMs is taken, and
// the kernel itself takes of that time at most (n - 1) p share / G until its last block begins: it keeps the
// GPU from others for at most p + ceil((n - 1) p share / G), p of it while its last block runs.
//
// Source: the weights are those of the bound for kernels served as they come; their use under priorities is
// ours (docs/proofs/composition.md, section 14). Proof: section 13 there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/model/platform.hpp"
#include "tactus/model/segment.hpp"

namespace tactus::analysis {

class KernelShares {
 public:
  /// Of all kernels that run on the same SMs.
  KernelShares(std::span<const KernelSegment* const> kernels, const Gpu& gpu);

  /// ceil(blocks * p * share / sms): so many blocks of it, as time of all the SMs.
  [[nodiscard]] Duration time_of(const KernelSegment& kernel, std::int64_t blocks, std::int64_t sms) const;
  /// How long it keeps the SMs from others at most: p + ceil((n - 1) p share / G).
  [[nodiscard]] Duration time_alone(const KernelSegment& kernel, std::int64_t sms) const;
  /// The longest block of all these kernels; 0 where there are none.
  [[nodiscard]] Duration longest_block() const { return longest_block_; }

 private:
  using Demand = std::vector<std::int64_t>;  // by resource
  [[nodiscard]] Demand demand_of(const KernelSegment& kernel) const;

  const Gpu& gpu_;
  std::vector<std::int64_t> taken_when_full_;  // a_d, by resource
  Duration longest_block_{};
};

}  // namespace tactus::analysis
