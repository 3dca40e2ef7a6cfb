#include "tactus/sim/json.hpp"

#include <nlohmann/json.hpp>

namespace tactus::sim {

void to_json(nlohmann::ordered_json& json, const Outcome& outcome) {
  json["horizon_ns"] = in_ns(outcome.horizon);
  json["reached_ns"] = in_ns(outcome.reached);
  json["ending"] = to_string(outcome.ending);
  json["released"] = outcome.released;
  json["completed"] = outcome.completed;
  json["pending"] = outcome.pending;
  json["dropped"] = outcome.dropped;
}

}  // namespace tactus::sim
