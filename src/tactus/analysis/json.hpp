// The results of analyses as JSON (docs/json.md).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "tactus/analysis/check.hpp"

namespace tactus::analysis {

/// A number, or null.
nlohmann::ordered_json in_nanoseconds(const std::optional<Duration>& duration);

nlohmann::ordered_json to_json(const Detail& detail);
nlohmann::ordered_json to_json(const Analysis& analysis, const Result& result);
/// The entry alone, without a result.
nlohmann::ordered_json to_json(const Analysis& analysis);
nlohmann::ordered_json to_json(const EffectResult& chain);
nlohmann::ordered_json to_json(const CheckResult& result);

}  // namespace tactus::analysis
