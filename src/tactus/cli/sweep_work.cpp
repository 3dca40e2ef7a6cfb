// The work of `tactus sweep`: one experiment over many generated systems, and its result as text. Only part
// of tactus-sweep.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tactus/base/error.hpp"
#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/cli/input.hpp"
#include "tactus/cli/interrupt.hpp"
#include "tactus/cli/progress_bar.hpp"
#include "tactus/cli/sweep.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/report/table.hpp"
#include "tactus/sweep/json.hpp"
#include "tactus/sweep/plot.hpp"
#include "tactus/sweep/pool.hpp"
#include "tactus/sweep/ranks.hpp"
#include "tactus/sweep/read_experiment.hpp"
#include "tactus/sweep/remote_workers.hpp"
#include "tactus/sweep/result_folder.hpp"
#include "tactus/sweep/results.hpp"
#include "tactus/sweep/run.hpp"
#include "tactus/sweep/wilson.hpp"

namespace tactus::cli {

namespace fs = std::filesystem;
using sweep::Counts;
using sweep::Experiment;
using sweep::Ledger;
using sweep::Measure;
using sweep::PlotOutcome;
using sweep::PointCounts;
using sweep::ResultFolder;
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

/// Without rows; the first column has this header.
report::Table curve_table(const Experiment& experiment, const std::string& first) {
  std::vector<std::string> columns{first};
  for (std::size_t i = 0; i < experiment.analyses.size(); ++i) columns.push_back(curve_name(experiment, i));
  return report::Table{{}, columns};
}

std::string cell_of(const Experiment& experiment, Measure measure, std::size_t analysis,
                    const Counts& counts) {
  if (measure != Measure::acceptance) return or_dash(counts.sums.of(measure));
  if (counts.not_applicable == experiment.systems) return "-";
  const std::int64_t shown = sweep::accepted(counts, experiment.analyses[analysis].kind);
  return percent(sweep::ratio_of(shown, experiment.systems));
}

/// One row for each point, one column for each curve.
std::string points_table(const Experiment& experiment, const SweepResult& result, const sweep::Panel& panel,
                         Measure measure) {
  report::Table table = curve_table(experiment, experiment.varied);
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
  report::Table table = curve_table(experiment, experiment.second);
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
    total.add(counts);
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
                          plural(total.sums.broken, "system"), whose_fault);
    }
    if (total.contradicted > 0) {
      text += fmt::format("{} accepted {} of which {} unschedulable, as another analysis shows{}.\n", name,
                          plural(total.schedulable, "system"), total.contradicted, whose_fault);
    }
    if (total.gave_up > 0) {
      text += fmt::format("{} gave up on {}.\n", name, plural(total.gave_up, "system"));
    }
    if (total.not_applicable > 0) {
      text += fmt::format("{} does not apply to {}, for instance: {}.\n", name,
                          plural(total.not_applicable, "system"), total.why_not);
    }
  }
  return text;
}

std::string heading(const Experiment& experiment, const SweepResult& result, Measure measure) {
  const std::string systems = plural(experiment.systems, "system");
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
                              : fmt::format("{} of the slowest task", plural(observation.jobs, "job"));
      return fmt::format(
          "mean bound / longest simulated response time, of the tasks of accepted systems; {} simulated",
          how_long);
    }
  }
  return "";
}

/// A sound analysis accepted a system that another sound one proves unschedulable: one of them is wrong.
bool sound_one_is_contradicted(const Experiment& experiment, const SweepResult& result) {
  for (std::size_t i = 0; i < experiment.analyses.size(); ++i) {
    const Counts total = total_of(result, i);
    if (experiment.analyses[i].sound && (total.contradicted > 0 || total.sums.broken > 0)) return true;
  }
  return false;
}

/// A table of acceptance ratios in percent, and notes.
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

std::string command_of(const SweepOptions& options, int ranks) {
  std::string command = ranks == 1 ? "" : fmt::format("mpirun -n {} ", ranks);
  command += fmt::format("tactus sweep {}", shown(options.file));
  if (!options.folder.empty()) command += fmt::format(" -o {}", shown(options.folder));
  if (options.systems != 0) command += fmt::format(" --systems {}", options.systems);
  if (options.threads != 0) command += fmt::format(" --threads {}", options.threads);
  return command;
}

void tell_about_plot(PlotOutcome outcome, const fs::path& folder) {
  if (outcome == PlotOutcome::drawn) return;
  const std::string script = shown((folder / "plot.gp").string());
  say(outcome == PlotOutcome::no_gnuplot
          ? fmt::format("no plot: gnuplot is not installed (package gnuplot-nox); later: gnuplot {}", script)
          : fmt::format("no plot: gnuplot failed; `gnuplot {}` says why", script));
}

void tell_what_is_there(const Ledger& ledger) {
  if (ledger.judged() == 0) return;
  const auto finished = static_cast<std::int64_t>(ledger.finished());
  const std::int64_t others = ledger.judged() - finished * ledger.systems_a_point();
  say(fmt::format("{} of {} points are there already{}", finished, ledger.points().size(),
                  others == 0 ? "" : fmt::format(", and {} of others", plural(others, "system"))));
}

void tell_speed(const Experiment& experiment, std::int64_t systems, std::chrono::duration<double> took) {
  if (systems == 0 || took.count() <= 0) return;
  const double verdicts = static_cast<double>(systems) * static_cast<double>(experiment.analyses.size());
  say(fmt::format(
      "{} x {} in {:.1f} s: {} verdicts a second", plural(systems, "system"),
      experiment.analyses.size() == 1 ? "1 analysis" : fmt::format("{} analyses", experiment.analyses.size()),
      took.count(), with_thousands(static_cast<std::uint64_t>(verdicts / took.count()))));
}

Experiment experiment_of(const std::string& text, const std::string& file, std::int64_t systems) {
  sweep::ReadExperimentResult read = sweep::read_experiment(text, file);
  if (!read.experiment) throw InputError{std::move(read.problems)};
  if (systems != 0) read.experiment->systems = systems;
  return *std::move(read.experiment);
}

/// Judges the missing systems; the folder is up to date at every instant.
void judge_the_rest(const SweepOptions& options, const Experiment& experiment, ResultFolder& folder,
                    Ledger& ledger, sweep::Ranks& ranks) {
  const sweep::History& history = folder.found().history;
  const std::int64_t there = ledger.judged();
  const auto begun = std::chrono::steady_clock::now();
  sweep::Provenance provenance{.command = command_of(options, ranks.count()),
                               .experiment_file = shown(options.file),
                               .begun = history.begun,
                               .took = history.took,
                               .runs = history.runs + (ledger.complete() ? 0 : 1)};
  const auto save = [&](const Ledger& news, const sweep::Team& team) {
    provenance.threads = team.threads;
    provenance.ranks = team.ranks;
    provenance.verdicts = news.judged() * static_cast<std::int64_t>(experiment.analyses.size());
    if (news.judged() != there) {
      provenance.took = history.took + (std::chrono::steady_clock::now() - begun);
    }
    folder.save(news, provenance);
  };
  save(ledger, {ranks.count(), sweep::thread_count(options.threads, ranks.neighbours())});
  ProgressBar progress{experiment.name, ledger.part_done()};
  run(experiment, ledger,
      {.threads = options.threads,
       .watch = progress.watch(),
       .ranks = &ranks,
       .on_fewer_threads =
           [](unsigned had, unsigned wanted, const std::string& why) {
             say(fmt::format("note: only {} of {} threads could be started: {}", had, wanted, why));
           },
       .on_news = save});
  progress.end();
  tell_speed(experiment, ledger.judged() - there, std::chrono::steady_clock::now() - begun);
}

/// Rank 0, the only one without mpirun.
int lead(const SweepOptions& options, sweep::Ranks& ranks) {
  const auto& [name, text] = read_input(options.file);
  const Experiment experiment = experiment_of(text, name, options.systems);
  const InterruptGuard guard;
  ResultFolder folder{options.folder.empty() ? experiment.name + "-results" : options.folder, experiment,
                      text, options.restart ? sweep::IfThere::restart : sweep::IfThere::go_on};
  Ledger ledger = folder.found().ledger;
  tell_what_is_there(ledger);
  const nlohmann::json order{{"text", text}, {"file", shown(name)}, {"systems", options.systems}};
  for (int rank = 1; rank < ranks.count(); ++rank) ranks.send(rank, order.dump());
  judge_the_rest(options, experiment, folder, ledger, ranks);

  const SweepResult result = ledger.result();
  if (!result.complete()) {
    say(fmt::format("interrupted: {} of {} points are finished; start again to go on", result.finished(),
                    result.points.size()));
  }
  tell_about_plot(draw_plot(experiment, result, folder.path()), folder.path());
  if (options.json) {
    print(to_json(experiment, result).dump() + "\n");
  } else {
    print_text(text_of(experiment, result) +
               fmt::format("Results are in {}.\n", shown(folder.path().string())));
  }
  if (!result.complete()) return interrupted;
  return sound_one_is_contradicted(experiment, result) ? answer_no : answer_yes;
}

/// All other ranks; they print nothing.
void follow(const SweepOptions& options, sweep::Ranks& ranks) {
  const InterruptGuard guard;  // rank 0 decides when to stop
  std::string trouble;
  try {
    const sweep::Ranks::Message order = ranks.wait();
    if (order.text.empty()) return;
    const nlohmann::json json = nlohmann::json::parse(order.text);
    const Experiment experiment =
        experiment_of(json["text"], json["file"], json["systems"].get<std::int64_t>());
    serve(experiment, ranks, sweep::thread_count(options.threads, ranks.neighbours()));
    return;
  } catch (const std::exception& error) {
    trouble = error.what();
  }
  ranks.send(0, to_text(sweep::Trouble{trouble}));
  while (!ranks.wait().text.empty()) {
  }
}

}  // namespace

int run_sweep(const SweepOptions& options) {
  sweep::Ranks ranks;
  if (ranks.rank() == 0) return lead(options, ranks);
  follow(options, ranks);
  return answer_yes;
}

}  // namespace tactus::cli
