// tactus sweep: its options.
#include "tactus/cli/sweep.hpp"

#include <memory>
#include <string_view>

#include "tactus/base/error.hpp"
#include "tactus/cli/verb.hpp"

namespace tactus::cli {

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

}  // namespace

void add_sweep(Verb app) {
  const Verb verb =
      app.add_verb("sweep", "How many generated systems does each analysis accept? An experiment");
  const auto options = std::make_shared<SweepOptions>();
  verb.add_option("EXPERIMENT", options->file, "Experiment file, or - for standard input").required();
  verb.add_option("-o,--output", options->folder, "Folder for the results (default: NAME-results)")
      .type_name("FOLDER");
  verb.add_option("--threads", options->threads, "Threads of every process (default: one a core)")
      .between(1, 1024);
  verb.add_option("--systems", options->systems, "Systems a point, instead of the file's number")
      .between(std::int64_t{1}, std::int64_t{1'000'000'000});
  verb.add_flag("--restart", options->restart, "Begin anew: what the folder holds is lost");
  verb.add_flag("--json", options->json, "JSON for machines");
  verb.footer(examples);
  verb.runs([options] {
    if (options->folder == "-")
      throw InputError{"-o: a sweep leaves a folder, not a stream", "`--json` prints results"};
    return run_sweep(*options);
  });
}

}  // namespace tactus::cli
