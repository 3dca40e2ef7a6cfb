#include "tactus/model/presets.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>

namespace tactus {

namespace {

struct Sizes {
  std::int32_t sms;
  std::int64_t shared_memory;
  std::int32_t priority_levels;
  std::int32_t copy_engines;
};

Platform make(std::string_view name, std::vector<std::int32_t> clusters, Sizes sizes) {
  Platform platform;
  platform.preset = name;
  platform.clusters = std::move(clusters);
  platform.gpu.sms = sizes.sms;
  platform.gpu.shared_memory_per_sm = sizes.shared_memory;
  platform.gpu.priority_levels = sizes.priority_levels;
  platform.gpu.copy_engines = sizes.copy_engines;
  return platform;
}

Preset preset(std::string_view name, std::string_view description, std::vector<std::int32_t> clusters,
              Sizes sizes) {
  return {name, description, make(name, std::move(clusters), sizes)};
}

}  // namespace

nlohmann::ordered_json to_json(const Preset& preset) {
  const Platform& platform = preset.platform;
  const Gpu& gpu = platform.gpu;
  return {{"name", preset.name},
          {"description", preset.description},
          {"cpus", {{"clusters", platform.clusters}}},
          {"gpu",
           {{"sms", gpu.sms},
            {"threads_per_sm", gpu.threads_per_sm},
            {"blocks_per_sm", gpu.blocks_per_sm},
            {"registers_per_sm", gpu.registers_per_sm},
            {"warp", gpu.warp},
            {"shared_memory_per_sm", gpu.shared_memory_per_sm},
            {"priority_levels", gpu.priority_levels},
            {"copy_engines", gpu.copy_engines},
            {"virtual_sms_per_sm", gpu.virtual_sms_per_sm}}}};
}

std::span<const Preset> presets() {
  // Sizes as published; those of the h200 were read from the card. Host CPUs of the discrete cards are one
  // core unless the file says more: the card does not fix them.
  static const std::array<Preset, 4> all{
      preset("jetson-tx2", "NVIDIA Jetson TX2: embedded, Pascal, 2 Denver and 4 A57 cores", {2, 4},
             {.sms = 2, .shared_memory = 64 * 1024, .priority_levels = 2, .copy_engines = 1}),
      preset("gtx-1080-ti", "NVIDIA GeForce GTX 1080 Ti: desktop, Pascal", {1},
             {.sms = 28, .shared_memory = 96 * 1024, .priority_levels = 2, .copy_engines = 2}),
      preset("titan-v", "NVIDIA Titan V: workstation, Volta", {1},
             {.sms = 80, .shared_memory = 96 * 1024, .priority_levels = 2, .copy_engines = 2}),
      preset("h200", "NVIDIA H200: data centre, Hopper", {1},
             {.sms = 132, .shared_memory = 233472, .priority_levels = 6, .copy_engines = 3}),
  };
  return all;
}

std::optional<Platform> find_preset(std::string_view name) {
  const std::span<const Preset> known = presets();
  const auto found =
      std::find_if(known.begin(), known.end(), [&](const Preset& preset) { return preset.name == name; });
  if (found == known.end()) return std::nullopt;
  return found->platform;
}

}  // namespace tactus
