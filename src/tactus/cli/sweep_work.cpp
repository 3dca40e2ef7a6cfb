// The work of `tactus sweep`: one experiment over many generated systems. Only part of tactus-sweep.
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "tactus/base/error.hpp"
#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/cli/input.hpp"
#include "tactus/cli/interrupt.hpp"
#include "tactus/cli/progress_bar.hpp"
#include "tactus/cli/sweep.hpp"
#include "tactus/cli/sweep_text.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/sweep/json.hpp"
#include "tactus/sweep/messages.hpp"
#include "tactus/sweep/plot.hpp"
#include "tactus/sweep/pool.hpp"
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
