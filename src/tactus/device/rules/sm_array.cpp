#include "tactus/device/rules/sm_array.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace tactus::device {

namespace {

std::size_t index(std::int32_t sm) { return static_cast<std::size_t>(sm); }

}  // namespace

SmSet all_sms(const Gpu& gpu) {
  SmSet sms(index(gpu.sms));
  std::iota(sms.begin(), sms.end(), 0);
  return sms;
}

SmArray::SmArray(const Gpu& gpu)
    : gpu_{gpu},
      free_threads_(index(gpu.sms), gpu.threads_per_sm),
      free_slots_(index(gpu.sms), gpu.blocks_per_sm),
      free_shared_memory_(index(gpu.sms), gpu.shared_memory_per_sm),
      free_registers_(index(gpu.sms), gpu.registers_per_sm) {
  room_.reserve(index(gpu.sms));
  chosen_.reserve(index(gpu.sms));
  order_.reserve(index(gpu.sms));
}

bool SmArray::fits(const BlockDemand& demand, std::size_t sm) const {
  return free_threads_[sm] >= demand.threads && free_slots_[sm] > 0 &&
         free_shared_memory_[sm] >= demand.shared_memory && free_registers_[sm] >= demand.registers;
}

std::int32_t SmArray::room(const BlockDemand& demand, std::size_t sm) const {
  if (!fits(demand, sm)) return 0;
  std::int64_t room = std::min<std::int64_t>(free_slots_[sm], free_threads_[sm] / demand.threads);
  if (demand.shared_memory > 0) room = std::min(room, free_shared_memory_[sm] / demand.shared_memory);
  if (demand.registers > 0) room = std::min(room, free_registers_[sm] / demand.registers);
  return static_cast<std::int32_t>(room);
}

void SmArray::take(const BlockDemand& demand, Share share) {
  const std::size_t sm = index(share.sm);
  free_threads_[sm] -= static_cast<std::int32_t>(demand.threads) * share.blocks;
  free_slots_[sm] -= share.blocks;
  free_shared_memory_[sm] -= demand.shared_memory * share.blocks;
  free_registers_[sm] -= demand.registers * share.blocks;
  blocks_ += share.blocks;
}

void SmArray::vacate(const BlockDemand& demand, Share share) { take(demand, {share.sm, -share.blocks}); }

std::int32_t SmArray::place_one(const BlockDemand& demand, std::span<const std::int32_t> allowed) {
  if (is_taken_) return -1;
  std::int32_t best = -1;
  switch (gpu_.sm_choice) {
    case SmChoice::most_free: {
      std::int32_t most = -1;
      for (const std::int32_t sm : allowed) {
        if (free_threads_[index(sm)] > most && fits(demand, index(sm))) {
          most = free_threads_[index(sm)];
          best = sm;
          if (most == gpu_.threads_per_sm) break;  // the maximum
        }
      }
      break;
    }
    case SmChoice::first_fit: {
      const auto found = std::find_if(allowed.begin(), allowed.end(),
                                      [&](std::int32_t sm) { return fits(demand, index(sm)); });
      if (found != allowed.end()) best = *found;
      break;
    }
    case SmChoice::best_fit: {
      std::int32_t least = std::numeric_limits<std::int32_t>::max();
      for (const std::int32_t sm : allowed) {
        if (free_threads_[index(sm)] < least && fits(demand, index(sm))) {
          least = free_threads_[index(sm)];
          best = sm;
        }
      }
      break;
    }
    case SmChoice::round_robin: {
      const auto size = allowed.size();
      const auto first = static_cast<std::size_t>(
          std::upper_bound(allowed.begin(), allowed.end(), last_used_) - allowed.begin());
      for (std::size_t step = 0; step < size && best < 0; ++step) {
        const std::int32_t sm = allowed[(first + step) % size];
        if (fits(demand, index(sm))) best = sm;
      }
      if (best >= 0) last_used_ = best;
      break;
    }
  }
  if (best >= 0) take(demand, {best, 1});
  return best;
}

std::int64_t SmArray::place(const BlockDemand& demand, std::int64_t most,
                            std::span<const std::int32_t> allowed, std::vector<Share>& shares) {
  if (most == 1) {
    const std::int32_t sm = place_one(demand, allowed);
    if (sm < 0) return 0;
    shares.push_back({sm, 1});
    return 1;
  }
  if (is_taken_) return 0;
  const std::size_t size = allowed.size();
  room_.resize(size);
  std::int64_t total = 0;
  for (std::size_t i = 0; i < size; ++i) {
    room_[i] = room(demand, index(allowed[i]));
    total += room_[i];
  }
  const std::int64_t placed = std::min(most, total);
  if (placed <= 0) return 0;

  if (gpu_.sm_choice == SmChoice::round_robin) {
    share_round_robin(placed, allowed);
  } else if (placed == total) {
    chosen_ = room_;
  } else if (gpu_.sm_choice == SmChoice::most_free) {
    share_most_free(placed, demand.threads, allowed);
  } else {
    share_in_order(placed, allowed);
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (chosen_[i] == 0) continue;
    shares.push_back({allowed[i], chosen_[i]});
    take(demand, shares.back());
  }
  return placed;
}

// An SM with F free threads offers places of the values F, F - b, F - 2b, ... for blocks of b threads; the
// rule takes the largest value left, ties by lowest index. So the blocks take all values above some x, and
// the lowest indices among those equal to x. x is found by bisection.
void SmArray::share_most_free(std::int64_t blocks, std::int64_t block_threads,
                              std::span<const std::int32_t> allowed) {
  const std::size_t size = allowed.size();
  const auto places_from = [&](std::size_t i, std::int64_t x) -> std::int64_t {
    const std::int64_t free = free_threads_[index(allowed[i])];
    return free < x ? 0 : std::min<std::int64_t>(room_[i], (free - x) / block_threads + 1);
  };
  const auto count_from = [&](std::int64_t x) {
    std::int64_t count = 0;
    for (std::size_t i = 0; i < size; ++i) count += places_from(i, x);
    return count;
  };
  // Every place has a value of at least 1, because the block fits there.
  std::int64_t enough = 1;
  std::int64_t too_few = std::int64_t{gpu_.threads_per_sm} + 1;
  while (too_few - enough > 1) {
    const std::int64_t middle = (enough + too_few) / 2;
    (count_from(middle) >= blocks ? enough : too_few) = middle;
  }
  chosen_.resize(size);
  std::int64_t left = blocks;
  for (std::size_t i = 0; i < size; ++i) {
    chosen_[i] = static_cast<std::int32_t>(places_from(i, too_few));
    left -= chosen_[i];
  }
  for (std::size_t i = 0; i < size && left > 0; ++i) {
    if (places_from(i, enough) > chosen_[i]) {
      ++chosen_[i];
      --left;
    }
  }
}

// First fit and best fit stay on the chosen SM while blocks fit: every block makes it a better fit.
void SmArray::share_in_order(std::int64_t blocks, std::span<const std::int32_t> allowed) {
  const std::size_t size = allowed.size();
  order_.resize(size);
  std::iota(order_.begin(), order_.end(), 0);
  if (gpu_.sm_choice == SmChoice::best_fit) {
    // Not std::stable_sort, which allocates.
    std::sort(order_.begin(), order_.end(), [&](std::int32_t a, std::int32_t b) {
      const std::int32_t free_a = free_threads_[index(allowed[index(a)])];
      const std::int32_t free_b = free_threads_[index(allowed[index(b)])];
      return free_a != free_b ? free_a < free_b : a < b;
    });
  }
  chosen_.assign(size, 0);
  for (const std::int32_t i : order_) {
    const std::int64_t here = std::min<std::int64_t>(blocks, room_[index(i)]);
    chosen_[index(i)] = static_cast<std::int32_t>(here);
    blocks -= here;
    if (blocks == 0) break;
  }
}

// Round r of the pointer reaches every SM with room for at least r blocks. All complete rounds are assigned
// at once; the last, partial one is walked.
void SmArray::share_round_robin(std::int64_t blocks, std::span<const std::int32_t> allowed) {
  const std::size_t size = allowed.size();
  const auto count_in = [&](std::int32_t rounds) {
    std::int64_t count = 0;
    for (const std::int32_t room : room_) count += std::min(room, rounds);
    return count;
  };
  std::int32_t whole = 0;
  std::int32_t too_many = *std::max_element(room_.begin(), room_.end()) + 1;
  while (too_many - whole > 1) {
    const std::int32_t middle = whole + (too_many - whole) / 2;
    (count_in(middle) <= blocks ? whole : too_many) = middle;
  }
  std::int64_t left = blocks - count_in(whole);
  chosen_.resize(size);
  for (std::size_t i = 0; i < size; ++i) chosen_[i] = std::min(room_[i], whole);

  const auto first = static_cast<std::size_t>(std::upper_bound(allowed.begin(), allowed.end(), last_used_) -
                                              allowed.begin());
  // Without a partial round, the pointer ends at the last SM of the last complete round.
  const std::int32_t needed = left > 0 ? whole + 1 : whole;
  std::int64_t steps = left > 0 ? left : std::numeric_limits<std::int64_t>::max();
  for (std::size_t step = 0; step < size && steps > 0; ++step) {
    const std::size_t i = (first + step) % size;
    if (room_[i] < needed) continue;
    if (left > 0) ++chosen_[i];
    last_used_ = allowed[i];
    --steps;
  }
}

std::int32_t SmArray::pointer_after_refill(std::int32_t pointer, std::span<const Share> shares) const {
  // The last round reaches the SMs with the most blocks. The pointer ends at the last of these in cyclic
  // order: the greatest index at or before the pointer, otherwise the greatest of all.
  std::int32_t most = 0;
  for (const Share& share : shares) most = std::max(most, share.blocks);
  std::int32_t before = -1;
  std::int32_t greatest = -1;
  for (const Share& share : shares) {
    if (share.blocks != most) continue;
    greatest = std::max(greatest, share.sm);
    if (share.sm <= pointer) before = std::max(before, share.sm);
  }
  return before >= 0 ? before : greatest;
}

bool SmArray::occupy_whole(std::span<const std::int32_t> sms) {
  if (is_taken_) return false;
  if (is_all(sms)) {
    is_taken_ = blocks_ == 0;
    return is_taken_;
  }
  const bool idle = std::all_of(
      sms.begin(), sms.end(), [&](std::int32_t sm) { return free_slots_[index(sm)] == gpu_.blocks_per_sm; });
  if (!idle) return false;
  for (const std::int32_t sm : sms) {
    free_slots_[index(sm)] = 0;
    free_threads_[index(sm)] = 0;
  }
  blocks_ += static_cast<std::int64_t>(sms.size());
  return true;
}

void SmArray::vacate_whole(std::span<const std::int32_t> sms) {
  if (is_all(sms)) {
    is_taken_ = false;
    return;
  }
  for (const std::int32_t sm : sms) {
    free_slots_[index(sm)] = gpu_.blocks_per_sm;
    free_threads_[index(sm)] = gpu_.threads_per_sm;
  }
  blocks_ -= static_cast<std::int64_t>(sms.size());
}

}  // namespace tactus::device
