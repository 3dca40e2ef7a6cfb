#include <array>
#include <nlohmann/json.hpp>

#include "tactus/sim/simulate.hpp"

namespace tactus::sim {

std::string_view to_string(Ending ending) {
  constexpr std::array<std::string_view, 3> names{"horizon", "too-many-jobs", "interrupted"};
  return names.at(static_cast<std::size_t>(ending));
}

void to_json(nlohmann::ordered_json& json, const Outcome& outcome) {
  json["horizon_ns"] = count(outcome.horizon);
  json["reached_ns"] = count(outcome.reached);
  json["ending"] = to_string(outcome.ending);
  json["released"] = outcome.released;
  json["completed"] = outcome.completed;
  json["pending"] = outcome.pending;
}

}  // namespace tactus::sim
