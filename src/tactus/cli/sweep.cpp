// tactus sweep: one experiment over many generated systems.
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "tactus/base/error.hpp"
#include "tactus/base/file.hpp"
#include "tactus/base/text.hpp"
#include "tactus/cli/interrupt.hpp"
#include "tactus/cli/progress.hpp"
#include "tactus/cli/sweep_text.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/sweep/messages.hpp"
#include "tactus/sweep/plot.hpp"
#include "tactus/sweep/ranks.hpp"
#include "tactus/sweep/read_experiment.hpp"
#include "tactus/sweep/remote_workers.hpp"
#include "tactus/sweep/result_folder.hpp"
#include "tactus/sweep/results.hpp"
#include "tactus/sweep/run.hpp"

namespace tactus::cli {

namespace fs = std::filesystem;
using sweep::Experiment;
using sweep::Ledger;
using sweep::PlotOutcome;
using sweep::ResultFolder;
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

It may also compare policies on the same systems, measure more than acceptance, and vary a second parameter:

  vary: [{parameter: utilisation, from: 0.1, to: 0.9, step: 0.1}, {parameter: tasks, values: [5, 10, 20]}]
  policies:
    - {policy: {strategy: single-stream, order: edf}, analyses: [np-edf]}
    - {policy: {strategy: multi-stream, order: fp}, analyses: [ms-fp]}
    - {policy: {strategy: federated}, analyses: [rtgpu]}
  measures: [acceptance, weighted, bound-deadline, bound-observed]

The folder then holds results.csv (acceptance ratios with 95 % confidence intervals), plot.svg and plot.png
(drawn by gnuplot, if it is installed), plot.gp (the plot's script), manifest.json (version, seed, command,
date, duration) and the experiment itself. docs/experiments.md explains every key.

Examples:
  tactus sweep experiments/pruda-figure-6.yaml -o figure-6
  tactus sweep experiments/strategies.yaml          five policies on the same systems
  tactus sweep experiment.yaml --threads 1          the same numbers as with any other number of threads
  tactus sweep experiment.yaml --systems 50         a quick look
  mpirun -n 4 tactus sweep experiment.yaml          on four processes, on one machine or several

Whatever ended it (Ctrl-C, kill, a power cut): the same command goes on where it was. --restart begins anew.
Exit status: 0 done, 1 a sound analysis was contradicted by another one or by a simulation, 2 bad input,
3 something failed, 130 interrupted.)";

struct SweepOptions {
  std::string file;
  std::string folder;
  unsigned threads = 0;
  std::int64_t systems = 0;
  bool restart = false;
  bool json = false;
};

std::string command_of(const SweepOptions& options, int ranks) {
  std::string command = ranks == 1 ? "" : fmt::format("mpirun -n {} ", ranks);
  command += fmt::format("tactus sweep {}", options.file);
  if (!options.folder.empty()) command += fmt::format(" -o {}", options.folder);
  if (options.systems != 0) command += fmt::format(" --systems {}", options.systems);
  if (options.threads != 0) command += fmt::format(" --threads {}", options.threads);
  return command;
}

void tell_about_plot(PlotOutcome outcome, const fs::path& folder) {
  if (outcome == PlotOutcome::drawn) return;
  const std::string script = (folder / "plot.gp").string();
  say(outcome == PlotOutcome::no_gnuplot
          ? fmt::format("no plot: gnuplot is not installed (package gnuplot-nox); later: gnuplot {}", script)
          : fmt::format("no plot: gnuplot failed; `gnuplot {}` says why", script));
}

void tell_what_is_there(const Ledger& ledger) {
  if (ledger.judged() == 0) return;
  const auto finished = static_cast<std::int64_t>(ledger.finished());
  const std::int64_t others = ledger.judged() - finished * ledger.systems_a_point();
  say(fmt::format(
      "{} of {} points are there already{}", finished, ledger.points().size(),
      others == 0 ? ""
                  : fmt::format(", and {} of others", plural(static_cast<std::uint64_t>(others), "system"))));
}

void tell_speed(const Experiment& experiment, std::int64_t systems, std::chrono::duration<double> took) {
  if (systems == 0 || took.count() <= 0) return;
  const double verdicts = static_cast<double>(systems) * static_cast<double>(experiment.analyses.size());
  say(fmt::format(
      "{} x {} in {:.1f} s: {} verdicts a second", plural(static_cast<std::uint64_t>(systems), "system"),
      experiment.analyses.size() == 1 ? "1 analysis" : fmt::format("{} analyses", experiment.analyses.size()),
      took.count(), with_thousands(static_cast<std::uint64_t>(verdicts / took.count()))));
}

Experiment experiment_of(const std::string& text, const std::string& file, std::int64_t systems) {
  sweep::ReadExperimentResult read = sweep::read_experiment(text, file);
  if (!read.experiment) throw InputError{std::move(read.problems)};
  if (systems != 0) read.experiment->systems = systems;
  return *std::move(read.experiment);
}

/// Judges what is missing; the folder knows at every instant what was judged.
void judge_the_rest(const SweepOptions& options, const Experiment& experiment, ResultFolder& folder,
                    Ledger& ledger, sweep::Ranks& ranks) {
  const sweep::History& history = folder.found().history;
  const std::int64_t there = ledger.judged();
  const auto begun = std::chrono::steady_clock::now();
  sweep::Provenance provenance{.command = command_of(options, ranks.count()),
                               .experiment_file = options.file,
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
  Progress progress{experiment.name, ledger.part_done()};
  run(experiment, ledger,
      {.threads = options.threads,
       .stop = &InterruptGuard::flag(),
       .ranks = &ranks,
       .on_progress = [&](double part) { progress.show(part); },
       .on_news = save});
  progress.end();
  tell_speed(experiment, ledger.judged() - there, std::chrono::steady_clock::now() - begun);
}

/// Rank 0, which is all there is without mpirun.
int lead(const SweepOptions& options, sweep::Ranks& ranks) {
  const std::string text = read_file(options.file);
  const Experiment experiment = experiment_of(text, options.file, options.systems);
  const InterruptGuard guard;
  ResultFolder folder{options.folder.empty() ? experiment.name + "-results" : options.folder, experiment,
                      text, options.restart ? sweep::IfThere::restart : sweep::IfThere::go_on};
  Ledger ledger = folder.found().ledger;
  tell_what_is_there(ledger);
  const nlohmann::json order{{"text", text}, {"file", options.file}, {"systems", options.systems}};
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
    print(text_of(experiment, result) + fmt::format("Results are in {}.\n", folder.path().string()));
  }
  if (!result.complete()) return interrupted;
  return sound_one_is_contradicted(experiment, result) ? answer_no : answer_yes;
}

/// All other ranks: silent, whatever happens.
void follow(const SweepOptions& options, sweep::Ranks& ranks) {
  const InterruptGuard guard;  // rank 0 decides when it is over
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

int run(const SweepOptions& options) {
  sweep::Ranks ranks;
  if (ranks.rank() == 0) return lead(options, ranks);
  follow(options, ranks);
  return answer_yes;
}

}  // namespace

void add_sweep(CLI::App& app, Action& action) {
  CLI::App* verb =
      app.add_subcommand("sweep", "How many generated systems does each analysis accept? An experiment");
  const auto options = std::make_shared<SweepOptions>();
  verb->add_option("EXPERIMENT", options->file, "Experiment file")->required();
  verb->add_option("-o,--output", options->folder, "Folder for the results (default: NAME-results)");
  verb->add_option("--threads", options->threads, "Threads of every process (default: one a core)")
      ->check(CLI::Range(1, 1024));
  verb->add_option("--systems", options->systems, "Systems a point, instead of the file's number")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}));
  verb->add_flag("--restart", options->restart, "Begin anew: what the folder holds is lost");
  verb->add_flag("--json", options->json, "JSON for machines");
  verb->footer(std::string{examples});
  verb->callback([&action, options] { action = [options] { return run(*options); }; });
}

}  // namespace tactus::cli
