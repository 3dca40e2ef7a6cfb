#include "tactus/model/presets.hpp"

#include <gtest/gtest.h>

namespace tactus {
namespace {

TEST(Presets, HaveThePublishedSizes) {
  struct Row {
    const char* name;
    std::int32_t sms;
    std::int64_t shared_memory;
    std::int32_t priority_levels;
    std::int32_t copy_engines;
    std::vector<std::int32_t> clusters;
  };
  const std::vector<Row> rows{
      {"jetson-tx2", 2, 64 * 1024, 2, 1, {2, 4}},
      {"gtx-1080-ti", 28, 96 * 1024, 2, 2, {1}},
      {"titan-v", 80, 96 * 1024, 2, 2, {1}},
      {"h200", 132, 233472, 6, 3, {1}},
  };
  ASSERT_EQ(presets().size(), rows.size());
  for (const Row& row : rows) {
    const std::optional<Platform> platform = find_preset(row.name);
    ASSERT_TRUE(platform) << row.name;
    EXPECT_EQ(platform->preset, row.name);
    EXPECT_EQ(platform->clusters, row.clusters) << row.name;
    EXPECT_EQ(platform->overheads, Overheads{}) << row.name;
    const Gpu& gpu = platform->gpu;
    EXPECT_EQ(gpu.sms, row.sms) << row.name;
    EXPECT_EQ(gpu.threads_per_sm, 2048) << row.name;
    EXPECT_EQ(gpu.blocks_per_sm, 32) << row.name;
    EXPECT_EQ(gpu.shared_memory_per_sm, row.shared_memory) << row.name;
    EXPECT_EQ(gpu.registers_per_sm, 65536) << row.name;
    EXPECT_EQ(gpu.warp, 32) << row.name;
    EXPECT_EQ(gpu.priority_levels, row.priority_levels) << row.name;
    EXPECT_EQ(gpu.copy_engines, row.copy_engines) << row.name;
  }
}

TEST(Presets, UnknownNamesFindNothing) {
  EXPECT_EQ(find_preset("jetson"), std::nullopt);
  EXPECT_EQ(find_preset(""), std::nullopt);
}

TEST(Platform, CountsItsCpus) {
  Platform platform;
  EXPECT_EQ(platform.cpus(), 1);
  platform.clusters = {2, 4};
  EXPECT_EQ(platform.cpus(), 6);
}

}  // namespace
}  // namespace tactus
