// Placing blocks in bulk gives what placing them one by one gives, for every SM choice rule.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "tactus/device/rules/sm_array.hpp"

namespace tactus::device {
namespace {

Gpu random_gpu() {
  Gpu gpu;
  gpu.sms = *rc::gen::inRange(1, 7);
  gpu.threads_per_sm = 32 * *rc::gen::inRange(1, 20);
  gpu.blocks_per_sm = *rc::gen::inRange(1, 9);
  gpu.shared_memory_per_sm = *rc::gen::inRange(0, 50);
  gpu.registers_per_sm = *rc::gen::inRange(0, 50);
  gpu.sm_choice =
      *rc::gen::element(SmChoice::most_free, SmChoice::first_fit, SmChoice::best_fit, SmChoice::round_robin);
  return gpu;
}

BlockDemand random_demand() {
  return {.threads = 32 * *rc::gen::inRange(1, 8),
          .shared_memory = *rc::gen::inRange(0, 15),
          .registers = *rc::gen::inRange(0, 15)};
}

SmSet random_set(const Gpu& gpu) {
  SmSet set;
  for (std::int32_t sm = 0; sm < gpu.sms; ++sm) {
    if (*rc::gen::inRange(0, 4) > 0) set.push_back(sm);
  }
  return set.empty() ? all_sms(gpu) : set;
}

RC_GTEST_PROP(SmArrayProperty, BulkEqualsOneByOne, ()) {
  const Gpu gpu = random_gpu();
  SmArray bulk{gpu};
  SmArray single{gpu};
  struct Placed {
    BlockDemand demand;
    Share share;
  };
  std::vector<Placed> placed;
  for (int round = *rc::gen::inRange(1, 12); round > 0; --round) {
    // Free a few shares, partly, so that the SMs differ.
    for (std::size_t i = 0; i < placed.size();) {
      if (*rc::gen::inRange(0, 3) == 0) {
        bulk.vacate(placed[i].demand, placed[i].share);
        single.vacate(placed[i].demand, placed[i].share);
        placed.erase(placed.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        ++i;
      }
    }
    const BlockDemand demand = random_demand();
    const SmSet allowed = random_set(gpu);
    const std::int64_t most = *rc::gen::inRange(1, 40);
    std::vector<Share> shares;
    const std::int64_t in_bulk = bulk.place(demand, most, allowed, shares);

    std::map<std::int32_t, std::int32_t> expected;
    std::int64_t one_by_one = 0;
    for (; one_by_one < most; ++one_by_one) {
      const std::int32_t sm = single.place_one(demand, allowed);
      if (sm < 0) break;
      ++expected[sm];
    }
    std::vector<Share> expected_shares;
    for (const auto& [sm, blocks] : expected) expected_shares.push_back({sm, blocks});
    RC_ASSERT(in_bulk == one_by_one);
    RC_ASSERT(shares == expected_shares);
    RC_ASSERT(bulk.pointer() == single.pointer());
    for (const Share& share : shares) placed.push_back({demand, share});
  }
}

RC_GTEST_PROP(SmArrayProperty, PointerAfterRefillIsThatOfRefilling, ()) {
  Gpu gpu = random_gpu();
  gpu.sm_choice = SmChoice::round_robin;
  SmArray sms{gpu};
  const BlockDemand demand{.threads = 32, .shared_memory = 0, .registers = 0};
  std::vector<Share> first;
  sms.place(demand, *rc::gen::inRange(1, 30), all_sms(gpu), first);
  std::vector<Share> rest;
  sms.place(demand, 1000, all_sms(gpu), rest);
  const std::int32_t before = *rc::gen::inRange(-1, gpu.sms);
  sms.set_pointer(before);
  const std::int32_t predicted = sms.pointer_after_refill(before, first);
  for (const Share& share : first) sms.vacate(demand, share);
  std::vector<Share> again;
  sms.place(demand, 1000, all_sms(gpu), again);
  RC_ASSERT(again == first);
  RC_ASSERT(sms.pointer() == predicted);
}

}  // namespace
}  // namespace tactus::device
