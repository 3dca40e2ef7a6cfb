// What is found by sorting is what is found by looking at every pair.
#include "tactus/analysis/stream_levels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace tactus::analysis {
namespace {

bool is_less_urgent(const GpuServer& server, std::size_t other, std::size_t task, Order order) {
  if (other == task) return false;
  if (order != Order::edf) return other > task;
  return server.tasks[other].deadline > server.tasks[task].deadline - server.tasks[task].jitter;
}

TEST(StreamLevels, AreThoseOfEveryPair) {
  std::mt19937 random{7};
  const auto draw = [&](int most) {
    return static_cast<std::int64_t>(random() % static_cast<unsigned>(most));
  };
  for (int round = 0; round < 2'000; ++round) {
    GpuServer server;
    const std::int64_t size = draw(7);
    for (std::int64_t i = 0; i < size; ++i) {
      GpuTask task;
      task.deadline = nanoseconds(1 + draw(5));
      task.jitter = nanoseconds(draw(3));
      task.longest_block = nanoseconds(draw(4));
      task.blocks_apart = draw(2) == 0;
      server.tasks.push_back(task);
    }
    if (draw(3) == 0) server.best_effort_blocks.push_back({9, nanoseconds(draw(4))});
    for (const Order order : {Order::edf, Order::fp}) {
      const auto levels = static_cast<std::int32_t>(1 + draw(4));
      const StreamLevels found = stream_levels(server, levels, order);
      ASSERT_EQ(found.block_below.size(), server.tasks.size());
      for (std::size_t task = 0; task < server.tasks.size(); ++task) {
        Duration block{};
        Duration apart{};
        std::int32_t below = 0;
        if (!server.best_effort_blocks.empty()) {
          block = server.best_effort_blocks[0].length;
          ++below;
        }
        for (std::size_t other = 0; other < server.tasks.size(); ++other) {
          if (!is_less_urgent(server, other, task, order)) continue;
          ++below;
          block = std::max(block, server.tasks[other].longest_block);
          if (server.tasks[other].blocks_apart) apart = std::max(apart, server.tasks[other].longest_block);
        }
        const bool several = levels > 1;
        EXPECT_EQ(found.block_below[task], several ? block : Duration{});
        EXPECT_EQ(found.block_apart_below[task], several ? apart : Duration{});
        EXPECT_EQ(found.reaches_last_level[task], !several || below >= levels - 1);
      }
    }
  }
}

}  // namespace
}  // namespace tactus::analysis
