#include "tactus/sweep/results.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cmath>

#include "tactus/base/version.hpp"
#include "tactus/sweep/source_hash.hpp"
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

std::string csv_line(const Experiment& experiment, const Point& point, std::size_t index,
                     const Counts& counts) {
  const std::int64_t systems = experiment.systems;
  const std::int64_t shown = accepted(counts, experiment.analyses[index].kind);
  const RatioInterval interval = wilson_interval(shown, systems);
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(generate::to_text(point.value)),
                     experiment.analyses[index].id, systems, shown, ratio_text(ratio_of(shown, systems)),
                     ratio_text(interval.low), ratio_text(interval.high), counts.unschedulable,
                     counts.unproven, counts.gave_up, counts.not_applicable, counts.contradicted);
}

double as_number(std::int64_t parts_of_a_million) { return static_cast<double>(parts_of_a_million) / 1e6; }

nlohmann::ordered_json to_json(const analysis::Analysis& entry, const Counts& counts, std::int64_t systems) {
  const std::int64_t shown = accepted(counts, entry.kind);
  const RatioInterval interval = wilson_interval(shown, systems);
  nlohmann::ordered_json json{{"id", entry.id},
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
  return json;
}

}  // namespace

std::string ratio_text(std::int64_t parts_of_a_million) {
  constexpr std::int64_t million = 1'000'000;
  return fmt::format("{}.{:06}", parts_of_a_million / million, parts_of_a_million % million);
}

std::string to_csv(const Experiment& experiment, const SweepResult& result) {
  std::string text = fmt::format(
      "{},analysis,systems,accepted,ratio,low,high,unschedulable,unproven,gave_up,not_applicable,"
      "contradicted\n",
      experiment.varied);
  for (std::size_t point = 0; point < result.points.size(); ++point) {
    if (!result.points[point]) continue;
    for (std::size_t i = 0; i < experiment.analyses.size(); ++i) {
      text += csv_line(experiment, experiment.points[point], i, (*result.points[point])[i]);
    }
  }
  return text;
}

nlohmann::ordered_json to_json(const Experiment& experiment, const SweepResult& result) {
  nlohmann::ordered_json json{{"experiment", experiment.name}, {"generator", experiment.generator.id},
                              {"varied", experiment.varied},   {"systems", experiment.systems},
                              {"seed", experiment.seed},       {"complete", result.complete()}};
  json["points"] = nlohmann::ordered_json::array();
  for (std::size_t point = 0; point < result.points.size(); ++point) {
    if (!result.points[point]) continue;
    nlohmann::ordered_json entry{{"value", generate::to_text(experiment.points[point].value)}};
    entry["analyses"] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < experiment.analyses.size(); ++i) {
      entry["analyses"].push_back(
          to_json(experiment.analyses[i], (*result.points[point])[i], experiment.systems));
    }
    json["points"].push_back(std::move(entry));
  }
  return json;
}

nlohmann::ordered_json manifest(const Experiment& experiment, const SweepResult& result,
                                const Provenance& provenance) {
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

}  // namespace tactus::sweep
