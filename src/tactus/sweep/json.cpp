#include "tactus/sweep/json.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/base/version.hpp"
#include "tactus/sweep/source_hash.hpp"
#include "tactus/sweep/wilson.hpp"

namespace tactus::sweep {

using nlohmann::ordered_json;

namespace {

double as_number(std::int64_t parts_of_a_million) { return static_cast<double>(parts_of_a_million) / 1e6; }

ordered_json or_null(const std::optional<std::int64_t>& parts_of_a_million) {
  return parts_of_a_million ? ordered_json(as_number(*parts_of_a_million)) : nullptr;
}

ordered_json measures_of(const Experiment& experiment) {
  ordered_json list = ordered_json::array();
  for (const Measure measure : experiment.measures) list.push_back(io::word_of(measure_words, measure));
  return list;
}

void add_measures(const Experiment& experiment, const Sums& sums, ordered_json& json) {
  if (experiment.measures_also(Measure::weighted)) json["weighted"] = or_null(sums.weighted());
  if (experiment.measures_also(Measure::bound_deadline)) {
    json["bound_deadline"] = or_null(sums.bound_deadline.mean());
    json["bound_deadline_tasks"] = sums.bound_deadline.tasks;
  }
  if (experiment.measures_also(Measure::bound_observed)) {
    json["bound_observed"] = or_null(sums.bound_observed.mean());
    json["bound_observed_tasks"] = sums.bound_observed.tasks;
    json["broken"] = sums.broken;
  }
}

ordered_json to_json(const Experiment& experiment, std::size_t index, const Counts& counts) {
  const analysis::Analysis& entry = experiment.analyses[index];
  const std::int64_t systems = experiment.systems;
  const std::int64_t shown = accepted(counts, entry.kind);
  const RatioInterval interval = wilson_interval(shown, systems);
  ordered_json json{{"id", entry.id},
                    {"accepted", shown},
                    {"ratio", as_number(ratio_of(shown, systems))},
                    {"low", as_number(interval.low)},
                    {"high", as_number(interval.high)},
                    {"unschedulable", counts.unschedulable},
                    {"unproven", counts.unproven},
                    {"gave_up", counts.gave_up},
                    {"not_applicable", counts.not_applicable},
                    {"contradicted", counts.contradicted}};
  if (!counts.why_not.empty()) json["why_not"] = counts.why_not;
  if (!experiment.policies.empty()) json["policy"] = policy_name(experiment, index);
  add_measures(experiment, counts.sums, json);
  return json;
}

/// Weighted schedulability, one entry for every panel that is finished.
ordered_json weighted_json(const Experiment& experiment, const SweepResult& result) {
  ordered_json list = ordered_json::array();
  for (const Panel& panel : panels(experiment)) {
    if (!is_finished(result, panel)) continue;
    ordered_json entry = ordered_json::object();
    if (!experiment.second.empty()) entry["second"] = panel.value;
    entry["analyses"] = ordered_json::array();
    for (std::size_t i = 0; i < experiment.analyses.size(); ++i) {
      ordered_json one{{"id", experiment.analyses[i].id},
                       {"weighted", or_null(weighted_of(experiment, result, panel, i))}};
      if (!experiment.policies.empty()) one["policy"] = policy_name(experiment, i);
      entry["analyses"].push_back(std::move(one));
    }
    list.push_back(std::move(entry));
  }
  return list;
}

std::optional<Counts> read_numbers(const nlohmann::json& json) {
  if (!json.is_array() || json.size() != count_members.size()) return std::nullopt;
  Counts counts;
  for (std::size_t i = 0; i < count_members.size(); ++i) {
    if (!json[i].is_number_unsigned()) return std::nullopt;
    counts.*count_members.at(i) = json[i].get<std::int64_t>();
    if (counts.*count_members.at(i) < 0 || counts.*count_members.at(i) > PartCounts::no_system / 8)
      return std::nullopt;
  }
  return counts;
}

/// A number of 128 bits as two of 64.
void append(nlohmann::json& list, UInt128 number) {
  list.push_back(static_cast<std::uint64_t>(number >> 64U));
  list.push_back(static_cast<std::uint64_t>(number));
}

nlohmann::json to_json(const Sums& sums) {
  nlohmann::json list = nlohmann::json::array();
  append(list, sums.weight);
  append(list, sums.accepted_weight);
  append(list, sums.bound_deadline.sum);
  append(list, sums.bound_observed.sum);
  for (const std::int64_t number : {sums.bound_deadline.tasks, sums.bound_observed.tasks, sums.broken}) {
    list.push_back(static_cast<std::uint64_t>(number));
  }
  return list;
}

std::optional<Sums> read_sums(const nlohmann::json& json) {
  constexpr std::size_t entries = 11;
  if (!json.is_array() || json.size() != entries) return std::nullopt;
  const bool plain =
      std::all_of(json.begin(), json.end(), [](const auto& entry) { return entry.is_number_unsigned(); });
  if (!plain) return std::nullopt;
  const auto wide = [&](std::size_t at) {
    return (static_cast<UInt128>(json[at].get<std::uint64_t>()) << 64U) | json[at + 1].get<std::uint64_t>();
  };
  Sums sums{.weight = wide(0),
            .accepted_weight = wide(2),
            .bound_deadline = {wide(4), json[8].get<std::int64_t>()},
            .bound_observed = {wide(6), json[9].get<std::int64_t>()},
            .broken = json[10].get<std::int64_t>()};
  const bool whole = sums.accepted_weight <= sums.weight && sums.bound_deadline.tasks >= 0 &&
                     sums.bound_observed.tasks >= 0 && sums.broken >= 0;
  return whole ? std::optional{sums} : std::nullopt;
}

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

ordered_json to_json(const Experiment& experiment, const SweepResult& result) {
  ordered_json json{{"experiment", experiment.name}, {"generator", experiment.generator.id},
                    {"varied", experiment.varied},   {"systems", experiment.systems},
                    {"seed", experiment.seed},       {"complete", result.complete()}};
  if (!experiment.second.empty()) json["second"] = experiment.second;
  json["measures"] = measures_of(experiment);
  if (experiment.measures_also(Measure::weighted)) json["weighted"] = weighted_json(experiment, result);
  json["points"] = ordered_json::array();
  for (std::size_t point = 0; point < result.points.size(); ++point) {
    if (!result.points[point]) continue;
    ordered_json entry{{"value", generate::to_text(experiment.points[point].value)}};
    if (experiment.points[point].second) {
      entry["second"] = generate::to_text(*experiment.points[point].second);
    }
    entry["analyses"] = ordered_json::array();
    for (std::size_t i = 0; i < experiment.analyses.size(); ++i) {
      entry["analyses"].push_back(to_json(experiment, i, (*result.points[point])[i]));
    }
    json["points"].push_back(std::move(entry));
  }
  return json;
}

ordered_json manifest(const Experiment& experiment, const SweepResult& result, const Provenance& provenance) {
  const double seconds = provenance.took.count();
  const double speed = seconds > 0 ? static_cast<double>(provenance.verdicts) / seconds : 0;
  return {{"experiment", experiment.name},
          {"file", provenance.experiment_file},
          {"tactus", version()},
          {"sources", source_hash()},
          {"seed", experiment.seed},
          {"command", provenance.command},
          {"begun", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                                fmt::gmtime(std::chrono::system_clock::to_time_t(provenance.begun)))},
          {"seconds", seconds},
          {"runs", provenance.runs},
          {"threads", provenance.threads},
          {"ranks", provenance.ranks},
          {"verdicts_per_second", std::llround(speed)},
          {"points", result.points.size()},
          {"finished", result.finished()},
          {"systems_a_point", experiment.systems},
          {"complete", result.complete()}};
}

nlohmann::json to_json(const PartCounts& part) {
  nlohmann::json list = nlohmann::json::array();
  for (std::size_t i = 0; i < part.counts.size(); ++i) {
    nlohmann::json values = nlohmann::json::array();
    for (const auto number : count_members)
      values.push_back(static_cast<std::uint64_t>(part.counts[i].*number));
    nlohmann::json entry{{"counts", std::move(values)}};
    if (part.counts[i].sums != Sums{}) entry["sums"] = to_json(part.counts[i].sums);
    if (part.first_why_not[i] != PartCounts::no_system) {
      entry["first"] = static_cast<std::uint64_t>(part.first_why_not[i]);
      entry["why_not"] = part.counts[i].why_not;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

std::optional<PartCounts> read_part_counts(const nlohmann::json& json, std::size_t analyses) {
  if (!json.is_array() || json.size() != analyses) return std::nullopt;
  PartCounts part{analyses};
  for (std::size_t i = 0; i < analyses; ++i) {
    const nlohmann::json& entry = json[i];
    if (!entry.is_object() || !entry.contains("counts")) return std::nullopt;
    const std::optional<Counts> counts = read_numbers(entry["counts"]);
    if (!counts) return std::nullopt;
    part.counts[i] = *counts;
    if (entry.contains("sums")) {
      const std::optional<Sums> sums = read_sums(entry["sums"]);
      if (!sums) return std::nullopt;
      part.counts[i].sums = *sums;
    }
    if (!entry.contains("first")) continue;
    if (!entry["first"].is_number_unsigned() || !entry.contains("why_not") || !entry["why_not"].is_string()) {
      return std::nullopt;
    }
    part.first_why_not[i] = entry["first"].get<std::int64_t>();
    part.counts[i].why_not = entry["why_not"].get<std::string>();
  }
  return part;
}

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
  if (experiment.measures != std::vector{Measure::acceptance}) json["measures"] = measures_of(experiment);
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
