// The SMs of a GPU: their free resources, and the choice of an SM for the next block.
//
// Rules R1 to R3 (a block needs threads in whole warps, a slot, shared memory and registers on one SM) and
// the four SM choice rules. Blocks of one kernel are placed in bulk: the result equals placing them one by
// one, but the cost depends only on the number of SMs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tactus/model/platform.hpp"
#include "tactus/model/segment.hpp"

namespace tactus::device {

/// SM indices in ascending order.
using SmSet = std::vector<std::int32_t>;

SmSet all_sms(const Gpu& gpu);

/// Blocks of one kernel on one SM.
struct Share {
  std::int32_t sm = 0;
  std::int32_t blocks = 0;
  friend bool operator==(const Share&, const Share&) = default;
};

class SmArray {
 public:
  explicit SmArray(const Gpu& gpu);

  /// Places the next block by the choice rule; -1 when it fits on no SM of `allowed`.
  std::int32_t place_one(const BlockDemand& demand, std::span<const std::int32_t> allowed);

  /// Places up to `most` blocks as if one by one; appends the shares in ascending SM order and returns their
  /// sum.
  std::int64_t place(const BlockDemand& demand, std::int64_t most, std::span<const std::int32_t> allowed,
                     std::vector<Share>& shares);

  /// Releases the resources of blocks on one SM.
  void vacate(const BlockDemand& demand, Share share);

  /// Exclusive work: takes whole SMs, all of which must be idle; otherwise false, and none is taken.
  bool occupy_whole(std::span<const std::int32_t> sms);
  void vacate_whole(std::span<const std::int32_t> sms);

  /// Round robin: the position of the pointer after all blocks of `shares` have been vacated and placed
  /// again, starting from `pointer`. Independent of the free resources, because exactly these blocks fit
  /// again.
  [[nodiscard]] std::int32_t pointer_after_refill(std::int32_t pointer, std::span<const Share> shares) const;
  [[nodiscard]] std::int32_t pointer() const { return last_used_; }
  void set_pointer(std::int32_t pointer) { last_used_ = pointer; }

 private:
  /// Blocks of one kernel that still fit on one SM. Threads and slots always limit it, so 32 bits suffice.
  [[nodiscard]] std::int32_t room(const BlockDemand& demand, std::size_t sm) const;
  [[nodiscard]] bool fits(const BlockDemand& demand, std::size_t sm) const;
  void take(const BlockDemand& demand, Share share);
  [[nodiscard]] bool is_all(std::span<const std::int32_t> sms) const {
    return sms.size() == free_slots_.size();
  }

  void share_most_free(std::int64_t blocks, std::int64_t block_threads,
                       std::span<const std::int32_t> allowed);
  void share_in_order(std::int64_t blocks, std::span<const std::int32_t> allowed);
  void share_round_robin(std::int64_t blocks, std::span<const std::int32_t> allowed);

  Gpu gpu_;
  std::vector<std::int32_t> free_threads_;
  std::vector<std::int32_t> free_slots_;
  std::vector<std::int64_t> free_shared_memory_;
  std::vector<std::int64_t> free_registers_;
  std::int32_t last_used_ = -1;  // the pointer of round robin
  std::int64_t blocks_ = 0;      // on all SMs; work that occupies an SM as a whole counts as one
  bool is_taken_ = false;        // one operation has all SMs, whatever is recorded for each

  // Scratch space of `place`, by position in `allowed`.
  std::vector<std::int32_t> room_;
  std::vector<std::int32_t> chosen_;
  std::vector<std::int32_t> order_;
};

}  // namespace tactus::device
