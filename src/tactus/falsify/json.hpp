// What a campaign came to, as JSON (docs/json.md).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tactus/falsify/falsify.hpp"

namespace tactus::falsify {

nlohmann::ordered_json to_json(const Summary& summary);

}  // namespace tactus::falsify
