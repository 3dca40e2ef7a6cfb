// The fast recurrence against its slow, obvious twin: one block at a time.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <queue>

#include "tactus/analysis/block_rta.hpp"

namespace tactus::analysis {
namespace {

/// Every block takes the slot that is free first; no kernel's block starts before those of earlier kernels.
std::vector<Time> one_by_one(const std::vector<EqualBlockKernel>& kernels, std::int64_t slots) {
  std::vector<std::size_t> order(kernels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return kernels[a].release < kernels[b].release; });
  std::priority_queue<Time, std::vector<Time>, std::greater<>> free_from;
  for (std::int64_t i = 0; i < slots; ++i) free_from.push(origin);
  std::vector<Time> completions(kernels.size());
  Time latest_start = origin;
  for (const std::size_t i : order) {
    for (std::int64_t block = 0; block < kernels[i].blocks; ++block) {
      const Time start = std::max({free_from.top(), kernels[i].release, latest_start});
      latest_start = start;
      free_from.pop();
      free_from.push(start + kernels[i].block_time);
      completions[i] = std::max(completions[i], start + kernels[i].block_time);
    }
  }
  return completions;
}

RC_GTEST_PROP(BlockRtaProperty, EqualsItsTwin, ()) {
  const std::int64_t slots = *rc::gen::inRange(1, 17);
  std::vector<EqualBlockKernel> kernels;
  for (int i = *rc::gen::inRange(1, 12); i > 0; --i) {
    kernels.push_back({time_at(nanoseconds(*rc::gen::inRange(0, 30))), nanoseconds(*rc::gen::inRange(0, 12)),
                       *rc::gen::inRange(1, 120)});
  }
  RC_ASSERT(equal_block_completions(kernels, slots) == one_by_one(kernels, slots));
}

RC_GTEST_PROP(BlockRtaProperty, ShorterBlocksNeverHurt, ()) {
  const std::int64_t slots = *rc::gen::inRange(1, 9);
  std::vector<EqualBlockKernel> kernels;
  for (int i = *rc::gen::inRange(1, 10); i > 0; --i) {
    kernels.push_back({time_at(nanoseconds(*rc::gen::inRange(0, 30))), nanoseconds(*rc::gen::inRange(1, 12)),
                       *rc::gen::inRange(1, 30)});
  }
  std::vector<EqualBlockKernel> shorter = kernels;
  for (EqualBlockKernel& kernel : shorter) {
    kernel.block_time = nanoseconds(*rc::gen::inRange(0L, in_ns(kernel.block_time) + 1));
  }
  const std::vector<Time> worst = equal_block_completions(kernels, slots);
  const std::vector<Time> better = equal_block_completions(shorter, slots);
  for (std::size_t i = 0; i < kernels.size(); ++i) RC_ASSERT(better[i] <= worst[i]);
}

}  // namespace
}  // namespace tactus::analysis
