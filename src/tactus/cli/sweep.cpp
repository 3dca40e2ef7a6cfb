// tactus sweep: one experiment over many generated systems.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "tactus/base/error.hpp"
#include "tactus/base/file.hpp"
#include "tactus/base/text.hpp"
#include "tactus/cli/interrupt.hpp"
#include "tactus/cli/progress.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/report/table.hpp"
#include "tactus/sweep/plot.hpp"
#include "tactus/sweep/read_experiment.hpp"
#include "tactus/sweep/results.hpp"
#include "tactus/sweep/run.hpp"
#include "tactus/sweep/wilson.hpp"

namespace tactus::cli {

namespace fs = std::filesystem;
using sweep::Counts;
using sweep::Experiment;
using sweep::PlotOutcome;
using sweep::PointCounts;
using sweep::SweepResult;

namespace {

constexpr std::string_view examples = R"(
An experiment file says how systems are made, which parameter varies, and which analyses judge them:

  tactus-experiment: 1
  generator: {kind: gpu-jobs, tasks: 10, periods: [10ms, 20ms, 40ms], arrival: sporadic}
  vary: {parameter: utilisation, from: 0.1, to: 0.9, step: 0.1}
  analyses: [np-edf, np-fp]
  systems: 1000                # a point
  seed: 1

The folder then holds results.csv (acceptance ratios with 95 % confidence intervals), plot.svg and plot.png
(drawn by gnuplot, if it is installed), plot.gp (the plot's script), manifest.json (version, seed, command,
date, duration) and the experiment itself. docs/experiments.md explains every key.

Examples:
  tactus sweep experiments/pruda-figure-6.yaml -o figure-6
  tactus sweep experiment.yaml --threads 1          the same numbers as with any other number of threads
  tactus sweep experiment.yaml --systems 50         a quick look

Interrupting it (Ctrl-C) keeps the points that are finished.
Exit status: 0 done, 1 a sound analysis was contradicted by another one, 2 bad input, 3 something failed,
130 interrupted.)";

struct SweepOptions {
  std::string file;
  std::string folder;
  unsigned threads = 0;
  std::int64_t systems = 0;
  bool json = false;
};

void write_file(const fs::path& path, const std::string& text) {
  AtomicFile file{path};
  file.write(text);
  file.commit();
}

fs::path make_folder(const SweepOptions& options, const Experiment& experiment) {
  fs::path folder = options.folder.empty() ? experiment.name + "-results" : options.folder;
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) throw FailureError{fmt::format("{}: cannot be made: {}", folder.string(), failed.message())};
  return folder;
}

std::string command_of(const SweepOptions& options) {
  std::string command = fmt::format("tactus sweep {}", options.file);
  if (!options.folder.empty()) command += fmt::format(" -o {}", options.folder);
  if (options.systems != 0) command += fmt::format(" --systems {}", options.systems);
  if (options.threads != 0) command += fmt::format(" --threads {}", options.threads);
  return command;
}

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
    for (const Counts& counts : *result.points[point]) {
      if (counts.not_applicable == experiment.systems) {
        row.emplace_back("-");
      } else {
        // Tenths of a percent, rounded half up in integers: the same text on every machine.
        const std::int64_t tenths = (sweep::ratio_of(counts.schedulable, experiment.systems) + 500) / 1000;
        row.emplace_back(fmt::format("{}.{}", tenths / 10, tenths % 10));
      }
    }
    table.add_row(std::move(row));
  }
  return table.to_text(wants_colour());
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

void tell_about_plot(PlotOutcome outcome, const fs::path& folder) {
  if (outcome == PlotOutcome::drawn) return;
  const std::string script = (folder / "plot.gp").string();
  say(outcome == PlotOutcome::no_gnuplot
          ? fmt::format("no plot: gnuplot is not installed (package gnuplot-nox); later: gnuplot {}", script)
          : fmt::format("no plot: gnuplot failed; `gnuplot {}` says why", script));
}

int run(const SweepOptions& options) {
  Experiment experiment = sweep::load_experiment(options.file);
  if (options.systems != 0) experiment.systems = options.systems;
  const InterruptGuard guard;
  const fs::path folder = make_folder(options, experiment);
  write_file(folder / "experiment.yaml", read_file(options.file));
  const auto begun = std::chrono::steady_clock::now();
  sweep::Provenance provenance{.command = command_of(options),
                               .experiment_file = options.file,
                               .begun = std::chrono::system_clock::now(),
                               .threads = sweep::thread_count(options.threads)};
  const auto save = [&](const SweepResult& result) {
    provenance.took = std::chrono::steady_clock::now() - begun;
    write_file(folder / "results.csv", to_csv(experiment, result));
    write_file(folder / "manifest.json", manifest(experiment, result, provenance).dump(2) + "\n");
  };
  SweepResult result;
  {
    Progress progress{experiment.name};
    result = sweep::run(experiment, {.threads = options.threads,
                                     .stop = &InterruptGuard::flag(),
                                     .on_progress = [&](double part) { progress.show(part); },
                                     .on_point = save});
  }
  save(result);
  tell_about_plot(draw_plot(experiment, result, folder), folder);

  if (options.json) {
    print(to_json(experiment, result).dump() + "\n");
  } else {
    print(text_of(experiment, result) + fmt::format("Results are in {}.\n", folder.string()));
  }
  if (!result.complete()) {
    say(fmt::format("interrupted: {} of {} points are finished", result.finished(), result.points.size()));
    return interrupted;
  }
  return sound_one_is_contradicted(experiment, result) ? answer_no : answer_yes;
}

}  // namespace

void add_sweep(CLI::App& app, Action& action) {
  CLI::App* verb =
      app.add_subcommand("sweep", "How many generated systems does each analysis accept? An experiment");
  const auto options = std::make_shared<SweepOptions>();
  verb->add_option("EXPERIMENT", options->file, "Experiment file")->required();
  verb->add_option("-o,--output", options->folder, "Folder for the results (default: NAME-results)");
  verb->add_option("--threads", options->threads, "Threads (default: one a core)")
      ->check(CLI::Range(1, 1024));
  verb->add_option("--systems", options->systems, "Systems a point, instead of the file's number")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}));
  verb->add_flag("--json", options->json, "JSON for machines");
  verb->footer(std::string{examples});
  verb->callback([&action, options] { action = [options] { return run(*options); }; });
}

}  // namespace tactus::cli
