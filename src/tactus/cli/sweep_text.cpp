#include "tactus/cli/sweep_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "tactus/base/text.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/report/table.hpp"
#include "tactus/sweep/results.hpp"
#include "tactus/sweep/wilson.hpp"

namespace tactus::cli {

using sweep::Counts;
using sweep::Experiment;
using sweep::Measure;
using sweep::PointCounts;
using sweep::SweepResult;

namespace {

/// Tenths of a percent, rounded half up in integers: the same text on every machine.
std::string percent(std::int64_t parts_of_a_million) {
  const std::int64_t tenths = (parts_of_a_million + 500) / 1000;
  return fmt::format("{}.{}", tenths / 10, tenths % 10);
}

/// For example 1.25 with three digits, rounded in the same way.
std::string three_digits(std::int64_t parts_of_a_million) {
  const std::int64_t thousandths = (parts_of_a_million + 500) / 1000;
  return fmt::format("{}.{:03}", thousandths / 1000, thousandths % 1000);
}

std::string or_dash(const std::optional<std::int64_t>& parts_of_a_million) {
  return parts_of_a_million ? three_digits(*parts_of_a_million) : "-";
}

std::vector<report::Column> curve_columns(const Experiment& experiment, const std::string& first) {
  std::vector<report::Column> columns{{first, report::Align::right}};
  for (std::size_t i = 0; i < experiment.analyses.size(); ++i) {
    columns.push_back({curve_name(experiment, i), report::Align::right});
  }
  return columns;
}

std::string cell_of(const Experiment& experiment, Measure measure, std::size_t analysis,
                    const Counts& counts) {
  switch (measure) {
    case Measure::acceptance: {
      if (counts.not_applicable == experiment.systems) return "-";
      const std::int64_t shown = sweep::accepted(counts, experiment.analyses[analysis].kind);
      return percent(sweep::ratio_of(shown, experiment.systems));
    }
    case Measure::weighted:
      return or_dash(counts.sums.weighted());
    case Measure::bound_deadline:
      return or_dash(counts.sums.bound_deadline.mean());
    case Measure::bound_observed:
      return or_dash(counts.sums.bound_observed.mean());
  }
  return "";
}

/// One row for each point, one column for each curve.
std::string points_table(const Experiment& experiment, const SweepResult& result, const sweep::Panel& panel,
                         Measure measure) {
  report::Table table{curve_columns(experiment, experiment.varied)};
  for (std::size_t point = panel.first; point < panel.first + panel.count; ++point) {
    if (!result.points[point]) continue;
    std::vector<report::Cell> row{generate::to_text(experiment.points[point].value)};
    for (std::size_t i = 0; i < experiment.analyses.size(); ++i) {
      row.emplace_back(cell_of(experiment, measure, i, (*result.points[point])[i]));
    }
    table.add_row(std::move(row));
  }
  return table.to_text(wants_colour());
}

bool has_points(const SweepResult& result, const sweep::Panel& panel) {
  const auto begin = result.points.begin() + static_cast<std::ptrdiff_t>(panel.first);
  return std::any_of(begin, begin + static_cast<std::ptrdiff_t>(panel.count),
                     [](const auto& point) { return point.has_value(); });
}

/// A table for every value of the second parameter.
std::string points_tables(const Experiment& experiment, const SweepResult& result, Measure measure) {
  std::string text;
  for (const sweep::Panel& panel : panels(experiment)) {
    if (!has_points(result, panel)) continue;
    if (!text.empty()) text += "\n";
    if (!experiment.second.empty()) text += fmt::format("{} {}:\n", experiment.second, panel.value);
    text += points_table(experiment, result, panel, measure);
  }
  return text;
}

/// Over all values of the first parameter; one row for each value of the second.
std::string weighted_table(const Experiment& experiment, const SweepResult& result) {
  report::Table table{curve_columns(experiment, experiment.second.empty() ? "" : experiment.second)};
  for (const sweep::Panel& panel : panels(experiment)) {
    std::vector<report::Cell> row{experiment.second.empty() ? "all" : panel.value};
    for (std::size_t i = 0; i < experiment.analyses.size(); ++i) {
      row.emplace_back(is_finished(result, panel) ? or_dash(weighted_of(experiment, result, panel, i)) : "-");
    }
    table.add_row(std::move(row));
  }
  return table.to_text(wants_colour(), text_width());
}

/// Half the width of the widest confidence interval, in percent.
double widest_interval(const Experiment& experiment, const SweepResult& result) {
  std::int64_t widest = 0;
  for (const std::optional<PointCounts>& point : result.points) {
    if (!point) continue;
    for (const Counts& counts : *point) {
      const sweep::RatioInterval interval = sweep::wilson_interval(counts.schedulable, experiment.systems);
      widest = std::max(widest, interval.high - interval.low);
    }
  }
  return static_cast<double>(widest) / 2e4;
}

/// The sum over all points of one analysis.
Counts total_of(const SweepResult& result, std::size_t analysis) {
  Counts total;
  for (const std::optional<PointCounts>& point : result.points) {
    if (!point) continue;
    const Counts& counts = (*point)[analysis];
    total.gave_up += counts.gave_up;
    total.not_applicable += counts.not_applicable;
    total.contradicted += counts.contradicted;
    total.schedulable += counts.schedulable;
    total.sums.add(counts.sums);
    if (total.why_not.empty()) total.why_not = counts.why_not;
  }
  return total;
}

std::string notes(const Experiment& experiment, const SweepResult& result) {
  std::string text;
  for (std::size_t i = 0; i < experiment.analyses.size(); ++i) {
    const analysis::Analysis& entry = experiment.analyses[i];
    const std::string name = curve_name(experiment, i);
    const Counts total = total_of(result, i);
    const std::string whose_fault = entry.sound ? ": THIS IS A BUG, please report it" : " (it is not sound)";
    if (total.sums.broken > 0) {
      text += fmt::format("{}: in the simulation of {} a job took longer than its bound{}.\n", name,
                          plural(static_cast<std::uint64_t>(total.sums.broken), "system"), whose_fault);
    }
    if (total.contradicted > 0) {
      text += fmt::format("{} accepted {} of which {} unschedulable, as another analysis shows{}.\n", name,
                          plural(static_cast<std::uint64_t>(total.schedulable), "system"), total.contradicted,
                          whose_fault);
    }
    if (total.gave_up > 0) {
      text += fmt::format("{} gave up on {}.\n", name,
                          plural(static_cast<std::uint64_t>(total.gave_up), "system"));
    }
    if (total.not_applicable > 0) {
      text += fmt::format("{} does not apply to {}, for instance: {}.\n", name,
                          plural(static_cast<std::uint64_t>(total.not_applicable), "system"), total.why_not);
    }
  }
  return text;
}

std::string heading(const Experiment& experiment, const SweepResult& result, Measure measure) {
  const std::string systems = plural(static_cast<std::uint64_t>(experiment.systems), "system");
  switch (measure) {
    case Measure::acceptance:
      return fmt::format("systems accepted, in percent; {} a point, 95 % intervals of at most +-{:.1f}",
                         systems, widest_interval(experiment, result));
    case Measure::weighted:
      return fmt::format(
          "weighted schedulability over all values of {} (sum of U of the accepted / sum of U)",
          experiment.varied);
    case Measure::bound_deadline:
      return "mean bound / deadline, of the tasks of accepted systems";
    case Measure::bound_observed: {
      const sweep::Observation& observation = experiment.observation;
      const std::string how_long =
          observation.horizon ? to_text(*observation.horizon)
                              : fmt::format("{} of the slowest task",
                                            plural(static_cast<std::uint64_t>(observation.jobs), "job"));
      return fmt::format(
          "mean bound / longest simulated response time, of the tasks of accepted systems; {} simulated",
          how_long);
    }
  }
  return "";
}

}  // namespace

bool sound_one_is_contradicted(const Experiment& experiment, const SweepResult& result) {
  for (std::size_t i = 0; i < experiment.analyses.size(); ++i) {
    const Counts total = total_of(result, i);
    if (experiment.analyses[i].sound && (total.contradicted > 0 || total.sums.broken > 0)) return true;
  }
  return false;
}

std::string text_of(const Experiment& experiment, const SweepResult& result) {
  if (result.finished() == 0) return "No point was finished.\n";
  std::string text;
  for (const Measure measure : experiment.measures) {
    text += fmt::format("{}: {}\n\n{}\n", experiment.name, heading(experiment, result, measure),
                        measure == Measure::weighted ? weighted_table(experiment, result)
                                                     : points_tables(experiment, result, measure));
  }
  return text + notes(experiment, result);
}

}  // namespace tactus::cli
