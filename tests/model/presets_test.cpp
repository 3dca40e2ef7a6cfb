#include "tactus/model/presets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace tactus {
namespace {

TEST(Presets, TheFirstOnesKeepTheirSizes) {
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

/// CUDA C++ Programming Guide, technical specifications per compute capability: threads, blocks and KiB of
/// shared memory of an SM.
TEST(Presets, AgreeWithTheirComputeCapability) {
  using Limits = std::array<std::int64_t, 3>;
  const std::map<std::string_view, Limits> limits{
      {"6.1", {2048, 32, 96}},   {"6.2", {2048, 32, 64}},   {"7.0", {2048, 32, 96}},
      {"7.2", {2048, 32, 96}},   {"8.0", {2048, 32, 164}},  {"8.6", {1536, 16, 100}},
      {"8.7", {1536, 16, 164}},  {"8.9", {1536, 24, 100}},  {"9.0", {2048, 32, 228}},
      {"10.0", {2048, 32, 228}}, {"11.0", {1536, 24, 228}}, {"12.0", {1536, 24, 100}}};
  for (const Preset& preset : presets()) {
    const Gpu& gpu = preset.platform.gpu;
    ASSERT_TRUE(limits.contains(preset.compute_capability)) << preset.name;
    EXPECT_EQ((Limits{gpu.threads_per_sm, gpu.blocks_per_sm, gpu.shared_memory_per_sm / 1024}),
              limits.at(preset.compute_capability))
        << preset.name;
    EXPECT_EQ(gpu.registers_per_sm, 65536) << preset.name;
    const bool is_old = preset.compute_capability == "6.1" || preset.compute_capability == "6.2" ||
                        preset.compute_capability.starts_with("7.");
    EXPECT_EQ(gpu.shared_memory_unit, is_old ? 256 : 128) << preset.name;
    EXPECT_EQ(gpu.shared_memory_reserved, is_old ? 0 : 1024) << preset.name;
    EXPECT_EQ(gpu.register_unit, 256) << preset.name;
    EXPECT_EQ(gpu.register_files, 4) << preset.name;
  }
}

TEST(Presets, HaveTheSmsAndCoresOfTheirSpecifications) {
  const auto sms = [](std::string_view name) { return find_preset(name).value().gpu.sms; };
  const auto cores = [](std::string_view name) { return find_preset(name).value().clusters; };
  EXPECT_EQ(sms("jetson-agx-xavier"), 512 / 64);
  EXPECT_EQ(sms("jetson-xavier-nx"), 384 / 64);
  EXPECT_EQ(sms("jetson-orin-nano-4gb"), 512 / 128);
  EXPECT_EQ(sms("jetson-orin-nx-16gb"), 1024 / 128);
  EXPECT_EQ(sms("jetson-agx-orin-32gb"), 1792 / 128);
  EXPECT_EQ(sms("jetson-agx-orin-64gb"), 2048 / 128);
  EXPECT_EQ(sms("jetson-thor-t5000"), 2560 / 128);
  EXPECT_EQ(sms("rtx-3080"), 8704 / 128);
  EXPECT_EQ(sms("rtx-4070-ti-super"), 8448 / 128);
  EXPECT_EQ(sms("rtx-5090"), 21760 / 128);
  EXPECT_EQ(sms("h100-pcie"), 114);
  EXPECT_EQ(sms("b200"), 148);
  EXPECT_EQ(cores("jetson-agx-xavier"), (std::vector<std::int32_t>{2, 2, 2, 2}));
  EXPECT_EQ(cores("jetson-agx-orin-64gb"), (std::vector<std::int32_t>{4, 4, 4}));
  EXPECT_EQ(cores("rtx-4090"), std::vector<std::int32_t>{8});
}

TEST(Presets, EachSaysWhereItComesFromAndWhatIsAGuess) {
  const std::set<std::string_view> keys{"cpus", "sms", "priority_levels", "copy_engines"};
  std::set<std::string_view> names;
  std::vector<std::string_view> families;
  for (const Preset& preset : presets()) {
    EXPECT_TRUE(names.insert(preset.name).second) << preset.name;
    EXPECT_NE(preset.source.find("20"), std::string::npos) << preset.name << " has no year";
    for (const std::string_view guess : preset.guesses) EXPECT_TRUE(keys.contains(guess)) << guess;
    // The card does not fix the cores of its host.
    const bool is_card = preset.family != "Jetson";
    if (is_card) {
      EXPECT_NE(std::find(preset.guesses.begin(), preset.guesses.end(), "cpus"), preset.guesses.end())
          << preset.name;
    }
    if (families.empty() || families.back() != preset.family) families.push_back(preset.family);
  }
  EXPECT_EQ(std::set(families.begin(), families.end()).size(), families.size()) << "a family stands together";
}

TEST(Presets, NearNamesAreSuggested) {
  using Names = std::vector<std::string_view>;
  EXPECT_EQ(presets_like("jetson-orin").size(), 6U);
  EXPECT_EQ(presets_like("jetson-orin").front(), "jetson-orin-nano-4gb");
  EXPECT_EQ(presets_like("orin-agx"), (Names{"jetson-agx-orin-32gb", "jetson-agx-orin-64gb"}));
  EXPECT_EQ(presets_like("Jetson Orin Nano Super"), (Names{"jetson-orin-nano-4gb", "jetson-orin-nano-8gb"}));
  EXPECT_EQ(presets_like("H100"), (Names{"h100-pcie", "h100-sxm"}));
  EXPECT_EQ(presets_like("rtx4090"), Names{"rtx-4090"});
  EXPECT_EQ(presets_like("titan"), Names{"titan-v"});
  EXPECT_EQ(presets_like("jetson-tx3"), Names{"jetson-tx2"});
  EXPECT_EQ(presets_like("abacus"), Names{});
  EXPECT_EQ(presets_like(""), Names{});
  EXPECT_EQ(presets_like(std::string(100, 'x')), Names{});
  EXPECT_EQ(preset_hint("titan"), "did you mean `titan-v`? `tactus platforms` lists all");
  EXPECT_EQ(preset_hint("h100"), "did you mean one of h100-pcie, h100-sxm? `tactus platforms` lists all");
}

TEST(Presets, ADeviceHasThePresetOfItsNameAndSizes) {
  const auto gpu = [](std::string_view name) { return find_preset(name).value().gpu; };
  ASSERT_EQ(gpu("h200"), gpu("h100-sxm"));  // the same sizes, another card
  EXPECT_EQ(preset_of_device(gpu("h200"), "NVIDIA H200"), "h200");
  EXPECT_EQ(preset_of_device(gpu("h200"), "NVIDIA H100 80GB HBM3"), "h100-sxm");
  EXPECT_EQ(preset_of_device(gpu("rtx-3090"), "NVIDIA GeForce RTX 3090"), "rtx-3090");
  EXPECT_EQ(preset_of_device(gpu("rtx-3090-ti"), "NVIDIA RTX A6000"), "");
  EXPECT_EQ(preset_of_device(gpu("jetson-agx-orin-64gb"), "Orin"), "jetson-agx-orin-64gb");
  EXPECT_EQ(preset_of_device(gpu("rtx-4090"), "NVIDIA H200"), "");
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
