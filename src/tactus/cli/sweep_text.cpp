#include "tactus/cli/sweep_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "tactus/cli/verb.hpp"
#include "tactus/report/table.hpp"
#include "tactus/sweep/wilson.hpp"

namespace tactus::cli {

using sweep::Counts;
using sweep::Experiment;
using sweep::PointCounts;
using sweep::SweepResult;

namespace {

/// Acceptance in percent; one row a point, one column an analysis.
std::string ratios_table(const Experiment& experiment, const SweepResult& result) {
  std::vector<report::Column> columns{{experiment.varied, report::Align::right}};
  for (const analysis::Analysis& entry : experiment.analyses) {
    columns.push_back({std::string{entry.id}, report::Align::right});
  }
  report::Table table{std::move(columns)};
  for (std::size_t point = 0; point < result.points.size(); ++point) {
    if (!result.points[point]) continue;
    std::vector<report::Cell> row{generate::to_text(experiment.points[point].value)};
    for (std::size_t i = 0; i < experiment.analyses.size(); ++i) {
      const Counts& counts = (*result.points[point])[i];
      if (counts.not_applicable == experiment.systems) {
        row.emplace_back("-");
      } else {
        // Tenths of a percent, rounded half up in integers: the same text on every machine.
        const std::int64_t shown = sweep::accepted(counts, experiment.analyses[i].kind);
        const std::int64_t tenths = (sweep::ratio_of(shown, experiment.systems) + 500) / 1000;
        row.emplace_back(fmt::format("{}.{}", tenths / 10, tenths % 10));
      }
    }
    table.add_row(std::move(row));
  }
  return table.to_text(wants_colour(), text_width());
}

/// Half the width of the widest interval, in percent.
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

/// All points of one analysis together.
Counts total_of(const SweepResult& result, std::size_t analysis) {
  Counts total;
  for (const std::optional<PointCounts>& point : result.points) {
    if (!point) continue;
    const Counts& counts = (*point)[analysis];
    total.gave_up += counts.gave_up;
    total.not_applicable += counts.not_applicable;
    total.contradicted += counts.contradicted;
    total.schedulable += counts.schedulable;
    if (total.why_not.empty()) total.why_not = counts.why_not;
  }
  return total;
}

std::string notes(const Experiment& experiment, const SweepResult& result) {
  std::string text;
  for (std::size_t i = 0; i < experiment.analyses.size(); ++i) {
    const analysis::Analysis& entry = experiment.analyses[i];
    const Counts total = total_of(result, i);
    if (total.contradicted > 0) {
      text +=
          fmt::format("{} accepted {} of which {} unschedulable, as another analysis shows{}.\n", entry.id,
                      plural(static_cast<std::uint64_t>(total.schedulable), "system"), total.contradicted,
                      entry.sound ? ": THIS IS A BUG, please report it" : " (it is not sound)");
    }
    if (total.gave_up > 0) {
      text += fmt::format("{} gave up on {}.\n", entry.id,
                          plural(static_cast<std::uint64_t>(total.gave_up), "system"));
    }
    if (total.not_applicable > 0) {
      text += fmt::format("{} does not apply to {}, for instance: {}.\n", entry.id,
                          plural(static_cast<std::uint64_t>(total.not_applicable), "system"), total.why_not);
    }
  }
  return text;
}

}  // namespace

bool sound_one_is_contradicted(const Experiment& experiment, const SweepResult& result) {
  for (std::size_t i = 0; i < experiment.analyses.size(); ++i) {
    if (experiment.analyses[i].sound && total_of(result, i).contradicted > 0) return true;
  }
  return false;
}

std::string text_of(const Experiment& experiment, const SweepResult& result) {
  if (result.finished() == 0) return "No point was finished.\n";
  return fmt::format(
      "{}: systems accepted, in percent; {} a point, 95 % intervals of at most +-{:.1f}\n\n{}\n{}",
      experiment.name, plural(static_cast<std::uint64_t>(experiment.systems), "system"),
      widest_interval(experiment, result), ratios_table(experiment, result), notes(experiment, result));
}

}  // namespace tactus::cli
