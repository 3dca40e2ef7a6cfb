#include "tactus/device/cuda/query.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "tactus/model/presets.hpp"

namespace tactus::cuda {
namespace {

TEST(CudaQuery, SizesOfEveryDeviceArePlausible) {
  const std::vector<DevicePlatform> devices = query_platforms();
  if (devices.empty()) GTEST_SKIP() << "there is no CUDA device on this machine";
  for (const auto& [name, platform] : devices) {
    SCOPED_TRACE(name);
    EXPECT_FALSE(name.empty());
    EXPECT_GE(platform.gpu.sms, 1);
    EXPECT_EQ(platform.gpu.warp, 32);
    EXPECT_GE(platform.gpu.threads_per_sm, 1024);
    EXPECT_GE(platform.gpu.blocks_per_sm, 8);
    EXPECT_GE(platform.gpu.shared_memory_per_sm, 48 * 1024);
    EXPECT_GE(platform.gpu.registers_per_sm, 32 * 1024);
    EXPECT_GE(platform.gpu.priority_levels, 1);
    EXPECT_GE(platform.gpu.copy_engines, 0);
  }
}

TEST(CudaQuery, AnH200IsWhatThePresetSays) {
  const std::optional<Platform> preset = find_preset("h200");
  ASSERT_TRUE(preset.has_value());
  int compared = 0;
  for (const auto& [name, platform] : query_platforms()) {
    if (name.find("H200") == std::string::npos) continue;
    EXPECT_EQ(platform.gpu, preset->gpu) << name;
    ++compared;
  }
  if (compared == 0) GTEST_SKIP() << "there is no H200 on this machine";
}

TEST(CudaQuery, AsksTheSameTwice) {
  const std::vector<DevicePlatform> first = query_platforms();
  const std::vector<DevicePlatform> second = query_platforms();
  ASSERT_EQ(first.size(), second.size());
  if (first.empty()) GTEST_SKIP() << "there is no CUDA device on this machine";
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].name, second[i].name);
    EXPECT_EQ(first[i].platform, second[i].platform);
  }
}

TEST(CudaQuery, ADeviceHasADriver) {
  const std::optional<int> version = driver_version();
  if (query_platforms().empty()) GTEST_SKIP() << "there is no CUDA device on this machine";
  ASSERT_TRUE(version.has_value());
  EXPECT_GE(*version, 12000) << "older than the CUDA this was compiled with";
}

}  // namespace
}  // namespace tactus::cuda
