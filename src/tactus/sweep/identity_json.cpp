#include "tactus/sweep/identity_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/base/version.hpp"
#include "tactus/sweep/source_hash.hpp"

namespace tactus::sweep {

using nlohmann::ordered_json;

namespace {

ordered_json value_of(const Point& point, std::string_view key) {
  const std::optional<generate::ParameterValue>& value = point.parameters.value_of(key);
  return value ? ordered_json(generate::to_text(*value)) : ordered_json(nullptr);
}

/// One value where all points agree, else one for each point.
ordered_json parameters_of(const Experiment& experiment) {
  ordered_json json = ordered_json::object();
  for (const generate::Parameter& parameter : experiment.generator.parameters) {
    ordered_json values = ordered_json::array();
    for (const Point& point : experiment.points) values.push_back(value_of(point, parameter.key));
    const bool agree =
        std::all_of(values.begin(), values.end(), [&](const auto& value) { return value == values.front(); });
    const bool varies = parameter.key == experiment.varied || parameter.key == experiment.second;
    if (!varies && agree && !values.empty()) values = ordered_json(values.front());
    json[std::string{parameter.key}] = std::move(values);
  }
  return json;
}

/// Every analysis with the policy that it judges under.
ordered_json policies_of(const Experiment& experiment) {
  ordered_json json = ordered_json::array();
  for (const std::size_t number : experiment.policy_of) {
    json.push_back(policy_text(experiment.policies[number]));
  }
  return json;
}

std::string short_text(const ordered_json& value) {
  constexpr std::size_t most = 60;
  if (value.is_null()) return "not given";
  return printable(value.is_string() ? value.get<std::string>() : value.dump(), most);
}

std::string label_of(const std::string& key) { return key == "systems" ? "the number of systems" : key; }

void compare(const ordered_json& there, const ordered_json& here, std::vector<std::string>& found) {
  if (there.is_object()) {
    for (const auto& [key, value] : there.items()) {
      if (here.contains(key)) continue;
      found.push_back(fmt::format("{} is {} there and not given here", label_of(key), short_text(value)));
    }
  }
  for (const auto& [key, value] : here.items()) {
    const ordered_json old = there.is_object() && there.contains(key) ? there[key] : ordered_json(nullptr);
    if (old == value) continue;
    if (key == "parameters") {
      compare(old, value, found);
    } else if (key == "sources") {
      found.emplace_back("it was made by another build of tactus, whose numbers could differ");
    } else {
      found.push_back(
          fmt::format("{} is {} there and {} here", label_of(key), short_text(old), short_text(value)));
    }
  }
}

}  // namespace

ordered_json identity(const Experiment& experiment) {
  ordered_json analyses = ordered_json::array();
  for (const analysis::Analysis& entry : experiment.analyses) analyses.push_back(entry.id);
  ordered_json json{{"tactus", version()},
                    {"sources", source_hash()},
                    {"generator", experiment.generator.id},
                    {"varied", experiment.varied},
                    {"parameters", parameters_of(experiment)},
                    {"analyses", std::move(analyses)},
                    {"systems", experiment.systems},
                    {"seed", experiment.seed}};
  // Features that an experiment does not use are not in its identity.
  if (!experiment.second.empty()) json["second"] = experiment.second;
  if (!experiment.policies.empty()) json["policies"] = policies_of(experiment);
  if (experiment.measures != std::vector{Measure::acceptance}) {
    json["measures"] = ordered_json::array();
    for (const Measure measure : experiment.measures) {
      json["measures"].push_back(io::word_of(measure_words, measure));
    }
  }
  if (experiment.measures_also(Measure::bound_observed)) {
    const Observation& observation = experiment.observation;
    json["simulate"] =
        observation.horizon ? to_text(*observation.horizon) : fmt::format("{} jobs", observation.jobs);
  }
  return json;
}

std::vector<std::string> differences(const ordered_json& there, const ordered_json& here) {
  std::vector<std::string> found;
  compare(there, here, found);
  if (found.empty() && there != here) found.emplace_back("its parameters are others");
  return found;
}

}  // namespace tactus::sweep
