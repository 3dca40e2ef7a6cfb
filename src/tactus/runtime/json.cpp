#include "tactus/runtime/json.hpp"

#include <nlohmann/json.hpp>

namespace tactus::runtime {

void to_json(nlohmann::ordered_json& json, const Outcome& outcome) {
  json["reached_ns"] = in_ns(outcome.reached);
  json["ending"] = to_string(outcome.ending);
  json["released"] = outcome.released;
  json["completed"] = outcome.completed;
  json["pending"] = outcome.pending;
  json["unseen"] = outcome.unseen;
  json["untold"] = outcome.untold;
  json["counts_all"] = outcome.counts_all;
  json["dropped"] = outcome.dropped;
  json["overruns"] = outcome.overruns;
  json["failure"] = nullptr;
  if (!outcome.failure.empty()) json["failure"] = outcome.failure;
  json["not_enforced"] = outcome.not_enforced;
  json["engine_away"] = {{"times", outcome.absences.times},
                         {"total_ns", outcome.absences.total.count()},
                         {"longest_ns", outcome.absences.longest.count()}};
}

}  // namespace tactus::runtime
