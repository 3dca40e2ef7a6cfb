#include "tactus/runtime/json.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

namespace tactus::runtime {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, device::assumption_kinds> kinds{"call", "segment", "engine"};

std::string_view name_of(device::Assumption what) { return kinds.at(static_cast<std::size_t>(what)); }

Json times_json(const device::TimesSeen& times, const std::optional<Duration>& assumed) {
  return {{"count", times.count},
          {"mean_ns", times.count == 0 ? Json{} : Json(times.mean().count())},
          {"max_ns", times.count == 0 ? Json{} : Json(times.longest.count())},
          {"assumed_ns", assumed ? Json(assumed->count()) : Json{}}};
}

}  // namespace

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

nlohmann::ordered_json assumptions_json(const System& system, const device::AssumptionsSeen& seen) {
  Json json;
  for (std::size_t kind = 0; kind < kinds.size(); ++kind)
    json["broken"][kinds.at(kind)] = seen.broken.at(kind);
  json["first"] = nullptr;
  if (!seen.first) return json;
  const device::BrokenAssumption& first = *seen.first;
  json["first"] = {{"what", name_of(first.what)}, {"at_ns", in_ns(first.at)}};
  if (first.what != device::Assumption::engine) {
    json["first"]["task"] = system.tasks[first.job.task].name;
    json["first"]["job"] = first.job.number;
    json["first"]["segment"] = first.segment;
  }
  json["first"]["seen_ns"] = first.seen.count();
  json["first"]["assumed_ns"] = first.assumed.count();
  return json;
}

nlohmann::ordered_json segments_json(const std::vector<device::SegmentTimes>& segments) {
  Json json = Json::array();
  for (const device::SegmentTimes& segment : segments) {
    json.push_back({{"calls", times_json(segment.calls, segment.assumed_call)},
                    {"runs", times_json(segment.runs, segment.assumed_run)}});
  }
  return json;
}

}  // namespace tactus::runtime
