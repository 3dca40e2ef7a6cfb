// The machines Tactus knows by name.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/model/platform.hpp"

namespace tactus {

struct Preset {
  std::string_view name;
  std::string_view family;  // presets of one family stand together
  std::string_view description;
  std::string_view compute_capability;
  std::string source;                     // where its numbers were read, with the year
  std::vector<std::string_view> guesses;  // keys whose values no source gives; those of `gpu` without it
  Platform platform;
};

/// By family; within one from small to large.
std::span<const Preset> presets();
std::optional<Platform> find_preset(std::string_view name);

/// The presets that `name` may mean, best first: those with its words, or else the one
/// with the most similar spelling.
std::vector<std::string_view> presets_like(std::string_view name);

/// The hint for an unknown name.
std::string preset_hint(std::string_view name);

/// The preset with this GPU whose name fits that of the device ("NVIDIA H200"); empty when there is none.
/// Other cards may have the same sizes.
std::string_view preset_of_device(const Gpu& gpu, std::string_view device);

}  // namespace tactus
