#include "tactus/sweep/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "tactus/sweep/wilson.hpp"

namespace tactus::sweep {

namespace {

/// In quotes where a comma, a quote or a line end asks for it.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string{c};
  return quoted + '"';
}

std::string or_empty(const std::optional<std::int64_t>& parts_of_a_million) {
  return parts_of_a_million ? ratio_text(*parts_of_a_million) : "";
}

/// The analysis, with its policy where policies are compared.
std::string csv_analysis(const Experiment& experiment, std::size_t analysis) {
  std::string text{experiment.analyses[analysis].id};
  if (!experiment.policies.empty()) text += "," + csv_field(policy_name(experiment, analysis));
  return text;
}

std::string csv_measures(const Experiment& experiment, const Sums& sums) {
  std::string text;
  if (experiment.measures_also(Measure::weighted)) text += "," + or_empty(sums.weighted());
  if (experiment.measures_also(Measure::bound_deadline)) {
    text += fmt::format(",{},{}", or_empty(sums.bound_deadline.mean()), sums.bound_deadline.tasks);
  }
  if (experiment.measures_also(Measure::bound_observed)) {
    text += fmt::format(",{},{},{}", or_empty(sums.bound_observed.mean()), sums.bound_observed.tasks,
                        sums.broken);
  }
  return text;
}

std::string csv_line(const Experiment& experiment, const Point& point, std::size_t index,
                     const Counts& counts) {
  const std::int64_t systems = experiment.systems;
  const std::int64_t shown = accepted(counts, experiment.analyses[index].kind);
  const RatioInterval interval = wilson_interval(shown, systems);
  std::string values = csv_field(generate::to_text(point.value));
  if (point.second) values += "," + csv_field(generate::to_text(*point.second));
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}{}\n", values, csv_analysis(experiment, index),
                     systems, shown, ratio_text(ratio_of(shown, systems)), ratio_text(interval.low),
                     ratio_text(interval.high), counts.unschedulable, counts.unproven, counts.gave_up,
                     counts.not_applicable, counts.contradicted, csv_measures(experiment, counts.sums));
}

/// The names of the columns. Unused features have none, so that simple tables stay simple.
std::string csv_header(const Experiment& experiment) {
  std::string text = experiment.varied;
  if (!experiment.second.empty()) text += "," + experiment.second;
  text += experiment.policies.empty() ? ",analysis" : ",analysis,policy";
  text += ",systems,accepted,ratio,low,high,unschedulable,unproven,gave_up,not_applicable,contradicted";
  if (experiment.measures_also(Measure::weighted)) text += ",weighted";
  if (experiment.measures_also(Measure::bound_deadline)) text += ",bound_deadline,bound_deadline_tasks";
  if (experiment.measures_also(Measure::bound_observed)) {
    text += ",bound_observed,bound_observed_tasks,broken";
  }
  return text + "\n";
}

}  // namespace

const std::string& policy_name(const Experiment& experiment, std::size_t analysis) {
  return experiment.policies[experiment.policy_of[analysis]].name;
}

std::string ratio_text(std::int64_t parts_of_a_million) {
  constexpr std::int64_t million = 1'000'000;
  return fmt::format("{}.{:06}", parts_of_a_million / million, parts_of_a_million % million);
}

std::string to_csv(const Experiment& experiment, const SweepResult& result) {
  std::string text = csv_header(experiment);
  for (std::size_t point = 0; point < result.points.size(); ++point) {
    if (!result.points[point]) continue;
    for (std::size_t i = 0; i < experiment.analyses.size(); ++i) {
      text += csv_line(experiment, experiment.points[point], i, (*result.points[point])[i]);
    }
  }
  return text;
}

bool is_finished(const SweepResult& result, const Panel& panel) {
  const auto begin = result.points.begin() + static_cast<std::ptrdiff_t>(panel.first);
  return std::all_of(begin, begin + static_cast<std::ptrdiff_t>(panel.count),
                     [](const auto& point) { return point.has_value(); });
}

std::optional<std::int64_t> weighted_of(const Experiment& experiment, const SweepResult& result,
                                        const Panel& panel, std::size_t analysis) {
  Sums sums;
  bool applies = false;
  for (std::size_t point = panel.first; point < panel.first + panel.count; ++point) {
    const Counts& counts = (*result.points[point])[analysis];
    sums.add(counts.sums);
    applies = applies || counts.not_applicable < experiment.systems;
  }
  return applies ? sums.weighted() : std::nullopt;
}

std::string weighted_csv(const Experiment& experiment, const SweepResult& result) {
  if (!experiment.measures_also(Measure::weighted)) return "";
  std::string text = experiment.second.empty() ? "" : experiment.second + ",";
  text += experiment.policies.empty() ? "analysis,weighted\n" : "analysis,policy,weighted\n";
  for (const Panel& panel : panels(experiment)) {
    if (!is_finished(result, panel)) continue;
    for (std::size_t i = 0; i < experiment.analyses.size(); ++i) {
      text += fmt::format("{}{},{}\n", experiment.second.empty() ? "" : csv_field(panel.value) + ",",
                          csv_analysis(experiment, i), or_empty(weighted_of(experiment, result, panel, i)));
    }
  }
  return text;
}

}  // namespace tactus::sweep
