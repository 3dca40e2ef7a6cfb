#include "tactus/trace/json.hpp"

#include <nlohmann/json.hpp>

namespace tactus::trace {

void to_json(nlohmann::ordered_json& json, const TaskStatistics& statistics) {
  const std::optional<ResponseTimes>& response = statistics.response;
  const auto value = [&](Duration ResponseTimes::*member) {
    return response ? nlohmann::ordered_json(in_ns((*response).*member)) : nlohmann::ordered_json(nullptr);
  };
  json["jobs"] = statistics.released;
  json["misses"] = statistics.misses;
  json["response_ns"] = {{"min", value(&ResponseTimes::min)},
                         {"mean", value(&ResponseTimes::mean)},
                         {"p99", value(&ResponseTimes::p99)},
                         {"max", value(&ResponseTimes::max)}};
  json["completed"] = statistics.completed;
  json["p99_exact"] = !response || response->p99_exact;
  json["full"] = statistics.full;
}

void to_json(nlohmann::ordered_json& json, const TaskTally& tally) {
  json["longest_known_ns"] = nullptr;
  if (tally.longest_known) json["longest_known_ns"] = in_ns(*tally.longest_known);
  json["overruns"] = tally.overruns;
  json["aborted"] = tally.aborted;
  json["failed"] = tally.failed;
  json["skipped"] = tally.skipped;
  json["no_room"] = tally.no_room;
  json["pending"] = tally.pending;
}

void to_json(nlohmann::ordered_json& json, const ChainStatistics& statistics) {
  const auto value = [](const std::optional<Duration>& time) {
    return time ? nlohmann::ordered_json(in_ns(*time)) : nlohmann::ordered_json(nullptr);
  };
  json["reactions"] = statistics.reaction.seen;
  json["reaction_max_ns"] = value(statistics.reaction.max);
  json["reaction_longest_known_ns"] = value(statistics.reaction.longest_known);
  json["reaction_misses"] = statistics.reaction.misses;
  json["reaction_open_misses"] = statistics.reaction.open_misses;
  json["outputs"] = statistics.age.seen;
  json["age_max_ns"] = value(statistics.age.max);
  json["age_misses"] = statistics.age.misses;
  json["complete"] = statistics.complete;
}

}  // namespace tactus::trace
