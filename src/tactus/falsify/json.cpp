#include "tactus/falsify/json.hpp"

#include <nlohmann/json.hpp>

namespace tactus::falsify {

using nlohmann::ordered_json;

ordered_json to_json(const Summary& summary) {
  ordered_json json{{"systems_tried", summary.tried},
                    {"systems_attacked", summary.attacked},
                    {"schedules", summary.schedules},
                    {"jobs", summary.jobs}};
  const auto job = [](const Closest& closest) {
    return ordered_json{{"observed_ns", in_ns(closest.observed)},
                        {"bound_ns", in_ns(closest.bound)},
                        {"ratio", closest.ratio()}};
  };
  json["closest"] = summary.closest ? job(*summary.closest) : ordered_json{};
  json["broken"] = summary.broken.has_value();
  if (summary.broken) {
    json["counterexample"] = job(summary.broken->job);
    json["counterexample"]["task"] = summary.broken->system.tasks[summary.broken->job.task].name;
    json["counterexample"]["job"] = summary.broken->job.job;
  }
  json["confirmed"] = summary.confirmed;
  json["too_close"] = summary.too_close;
  json["interrupted"] = summary.interrupted;
  return json;
}

}  // namespace tactus::falsify
