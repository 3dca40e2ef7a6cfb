// What plans, comparisons and hints say, as JSON (docs/json.md).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tactus/plan/compare.hpp"
#include "tactus/plan/hints.hpp"
#include "tactus/plan/plan.hpp"

namespace tactus::plan {

nlohmann::ordered_json to_json(const Plan& plan);

nlohmann::ordered_json to_json(const Comparison& comparison);

/// A list: one object a hint, with "kind".
nlohmann::ordered_json to_json(const Hints& hints, const System& system);

}  // namespace tactus::plan
