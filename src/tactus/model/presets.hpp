// The machines Tactus knows by name.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string_view>

#include "tactus/model/platform.hpp"

namespace tactus {

struct Preset {
  std::string_view name;
  std::string_view description;
  Platform platform;
};

/// With the keys of a system file.
nlohmann::ordered_json to_json(const Preset& preset);

std::span<const Preset> presets();
std::optional<Platform> find_preset(std::string_view name);

}  // namespace tactus
