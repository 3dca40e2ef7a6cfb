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

}  // namespace tactus::trace
