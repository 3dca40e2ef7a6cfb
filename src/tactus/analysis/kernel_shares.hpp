// How long kernels keep a GPU on which blocks of several kernels run side by side.
//
// Claim: let block i need q_id of resource d (threads, slots, shared memory, registers), of which an SM has
// M_d.
//   a_d = M_d - max over all kernels of q_id + gcd(M_d, all q_id),   share_i = max over d of q_id / a_d
// where d is left out if it cannot be the first to run short: some other e is needed wherever d is, and
//   (M_d - max q_id) / max(q_id / q_ie) >= M_e - max q_ie.
// Whenever a block of one of these kernels fits no SM, the shares of the blocks on every SM add up to 1 or
// more. So as long as a kernel of n blocks of length p waits for room, the whole GPU of G SMs is taken, and
// the kernel itself takes of that time at most (n - 1) p share / G until its last block begins: it keeps the
// GPU from others for at most p + ceil((n - 1) p share / G), p of it while its last block runs.
//
// Source: the weights are those of the bound for kernels served as they come; their use under priorities is
// ours (docs/proofs/composition.md, section 14). Proof: section 13 there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tactus/base/exact.hpp"
#include "tactus/base/time.hpp"
#include "tactus/model/platform.hpp"
#include "tactus/model/segment.hpp"
#include "tactus/model/task.hpp"

namespace tactus::analysis {

/// The kernel of a task that is one kernel and nothing else; null for others.
const KernelSegment* only_kernel(const Task& task);

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
  /// The longest that blocks take, as time of all the SMs, that have begun before an instant at which none
  /// waits and one SM has room for a block with the largest demand of each resource.
  [[nodiscard]] Duration time_of_begun(std::int64_t sms) const;
  /// Whether threads are the only resource that can run short first.
  [[nodiscard]] bool only_threads() const;

 private:
  enum Resource : std::uint8_t { slots, registers, shared_memory, threads };
  static constexpr std::size_t resources = 4;
  using Demand = std::array<std::int64_t, resources>;  // by resource
  [[nodiscard]] Demand demand_of(const KernelSegment& kernel) const;
  /// Whether another one runs short before this one, or at the same time.
  [[nodiscard]] bool is_covered(std::size_t resource) const;
  /// What of a resource may be taken at such an instant.
  [[nodiscard]] Int128 taken_by_begun(std::size_t resource, std::int64_t sms) const;

  const Gpu& gpu_;
  std::vector<Demand> demands_;  // of all kernels
  Demand of_sm_;                 // M_d
  Demand most_{};                // max q_id
  Demand taken_when_full_{};     // a_d
  std::array<bool, resources> counts_{};
  Duration longest_block_{};
};

}  // namespace tactus::analysis
