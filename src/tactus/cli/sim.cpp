// tactus sim: simulates a system, block by block.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tactus/analysis/check.hpp"
#include "tactus/analysis/effort.hpp"
#include "tactus/analysis/observed_chains.hpp"
#include "tactus/base/error.hpp"
#include "tactus/base/text.hpp"
#include "tactus/cli/chains.hpp"
#include "tactus/cli/input.hpp"
#include "tactus/cli/interrupt.hpp"
#include "tactus/cli/progress_bar.hpp"
#include "tactus/cli/schedule.hpp"
#include "tactus/cli/schedule_json.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/cli/views.hpp"
#include "tactus/sched/core.hpp"
#include "tactus/sim/horizon.hpp"
#include "tactus/sim/json.hpp"
#include "tactus/sim/simulate.hpp"
#include "tactus/trace/data_flow.hpp"
#include "tactus/trace/first_miss.hpp"
#include "tactus/trace/perfetto.hpp"
#include "tactus/trace/recorder.hpp"
#include "tactus/trace/statistics.hpp"

namespace tactus::cli {

using sim::Outcome;
using sim::SimulationEnd;

namespace {

constexpr std::string_view examples = R"(
Examples:
  tactus sim robot.yaml                                two hyperperiods, worst-case times
  tactus sim robot.yaml --for 10s --execution random --seed 7
  tactus sim robot.yaml --trace trace.json             open it at ui.perfetto.dev
  tactus sim robot.yaml --timeline timeline.svg        a picture as a file
  tactus sim robot.yaml --picture                      a picture in the terminal
  tactus sim robot.yaml --picture --from 40ms --to 60ms
  tactus sim robot.yaml --blocks                       which block ran on which SM when

Exit status: 0 no deadline missed, 1 a deadline missed (or a limit of a chain passed, or a bound broken), 2 bad input,
130 interrupted.)";

struct SimOptions {
  std::string file;
  std::string horizon;
  std::string seed_text = "1";
  std::string execution = "worst";
  Views views;
  OverrideOptions overrides;
};

/// The results of a simulation.
struct SimReport {
  System system;
  Outcome outcome;
  std::optional<sim::Horizon> chosen;  // nothing: given by the user
  std::vector<trace::TaskStatistics> tasks;
  std::vector<analysis::ProvenBound> bounds;
  std::vector<analysis::EffectResult> chain_bounds;
  std::vector<trace::ChainStatistics> chains;
  std::optional<trace::JobEnded> first_miss;
  trace::Recording recording;
  std::uint64_t misses = 0;
  bool trace_truncated = false;

  /// Tasks whose observed response time exceeds the proven bound, which means a bug in an analysis.
  [[nodiscard]] std::vector<std::size_t> broken_bounds() const {
    std::vector<std::size_t> broken;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const std::optional<Duration>& bound = bounds[i].bound;
      if (bound && tasks[i].response && tasks[i].response->max > *bound) broken.push_back(i);
    }
    return broken;
  }

  /// No deadline missed, no limit of a chain passed, no bound broken.
  [[nodiscard]] bool holds() const {
    return misses == 0 && analysis::chain_misses(chains) == 0 && broken_bounds().empty() &&
           analysis::broken_chain_bounds(chain_bounds, chains).empty();
  }
};

std::string closing_lines(const SimReport& report) {
  const Outcome& outcome = report.outcome;
  std::string text = misses_line(report.system, report.misses, report.first_miss, outcome.reached);
  for (TaskIndex task = 0; task < report.tasks.size(); ++task) {
    if (report.tasks[task].full == 0) continue;
    text += fmt::format("Jobs of '{}': {} turned away (max_jobs were in progress).\n",
                        report.system.tasks[task].name, with_thousands(report.tasks[task].full));
  }
  if (outcome.pending > 0) {
    text += fmt::format("{} pending at {}.\n", plural(outcome.pending, "job"), to_text(outcome.reached));
  }
  if (outcome.ending == SimulationEnd::too_many_jobs) {
    text += fmt::format(
        "The system is overloaded: too many jobs were pending, the schedule is known only up to {}.\n",
        to_text(outcome.reached));
  } else if (outcome.ending == SimulationEnd::interrupted) {
    text += fmt::format("Interrupted at {}.\n", to_text(outcome.reached));
  }
  for (const std::size_t task : report.broken_bounds()) {
    text += fmt::format(
        "BOUND BROKEN: '{}' took {}, proven was {}. This is a bug in an analysis; please report it.\n",
        report.system.tasks[task].name, to_text(report.tasks[task].response->max),
        to_text(*report.bounds[task].bound));
  }
  for (const auto& broken : analysis::broken_chain_bounds(report.chain_bounds, report.chains)) {
    text += fmt::format(
        "BOUND BROKEN: the {} of chain '{}' was {}, proven was {}. This is a bug in an analysis; please "
        "report it.\n",
        broken.what, broken.chain, to_text(broken.seen), to_text(broken.bound));
  }
  return text;
}

std::string horizon_line(const SimReport& report) {
  using sim::HorizonReason;
  if (!report.chosen) return {};
  const bool by_rates = report.chosen->reason == HorizonReason::rates;
  if (!by_rates && report.chosen->reason != HorizonReason::fallback) return {};
  return fmt::format(
      "The periods repeat only after {}, so {} were simulated{}; `--for` asks for more.\n",
      report.chosen->hyperperiod ? to_text(*report.chosen->hyperperiod) : "more than 292 years",
      to_text(report.outcome.horizon), by_rates ? ", two cycles of the rates" : "");
}

std::string text_of(const SimReport& report, const SimOptions& options, const report::TimelineRange& range) {
  const System& system = report.system;
  std::string text = fmt::format(
      "{} on {}, {}, {} times, 0 to {}\n\n", system.name,
      system.platform.preset.empty() ? plural(system.platform.gpu.sms, "SM") : system.platform.preset,
      system.policy.strategy->name, options.execution, to_text(report.outcome.horizon));
  text +=
      views_text(options.views, system, report.recording, analysis::response_bounds(report.bounds), range);
  text += tasks_table(system, report.tasks, report.bounds, options.views.all) + "\n";
  return text + chain_times_text(report.chain_bounds, report.chains) + closing_lines(report) +
         horizon_line(report);
}

void print_json(const SimReport& report, const SimOptions& options) {
  nlohmann::ordered_json json{{"system", report.system.name}};
  to_json(json, report.outcome);
  json["horizon_from"] = report.chosen ? to_string(report.chosen->reason) : "asked";
  json["seed"] = parse_seed(options.seed_text);
  json["execution"] = options.execution;
  json["misses"] = report.misses;
  json["tasks"] = tasks_json(report.system, report.tasks, report.bounds);
  if (!report.chains.empty()) json["chains"] = chains_json(report.chain_bounds, report.chains);
  json["truncated"] = nlohmann::ordered_json::array();
  if (report.recording.truncated.ends) json["truncated"].push_back("jobs");
  if (report.recording.truncated.blocks) json["truncated"].push_back("blocks");
  print_with_lists(json, report.system, options.views.jobs ? &report.recording.ends : nullptr,
                   options.views.blocks ? &report.recording.blocks : nullptr);
}

/// None where the watch stops; nothing is simulated then.
void find_bounds(SimReport& report, const Watch& watch) {
  analysis::CheckResult checked;
  try {
    const analysis::StepsWatched watched{watch};
    checked = analysis::check(report.system);
  } catch (const analysis::WorkStopped&) {
    checked.chains = analysis::judge_chains(report.system, analysis::smallest_bounds(report.system, checked));
  }
  report.bounds = analysis::proven_bounds(report.system, checked);
  report.chain_bounds = checked.chains;
}

SimReport simulate(const SimOptions& options) {
  SimReport report;
  const SystemText input = read_system_input(options.file, Completeness::complete, options.overrides.chains);
  report.system = system_of(input, Completeness::complete, options.overrides);
  const System& system = report.system;
  sim::SimulationOptions simulation;
  simulation.horizon = parse_length(options.horizon);
  if (!simulation.horizon) {
    report.chosen = sim::choose_horizon(system);
    if (report.chosen->end != never) simulation.horizon = report.chosen->end.time_since_epoch();
  }
  simulation.seed = parse_seed(options.seed_text);
  simulation.execution = execution_named(options.execution);
  ProgressBar progress{"simulating " + system.name};
  simulation.watch = progress.watch();
  find_bounds(report, simulation.watch);  // shown in the trace

  trace::Statistics statistics{system.tasks.size()};
  trace::FirstMiss first_miss;
  trace::Recorder recorder{recorder_options(options.views)};
  std::vector<trace::Observer*> observers{&statistics, &first_miss};
  trace::DataFlow flow{system};
  if (!system.chains.empty()) observers.push_back(&flow);
  if (options.views.recorded()) observers.push_back(&recorder);
  std::optional<trace::PerfettoExporter> exporter;
  if (!options.views.trace.empty()) {
    observers.push_back(
        &exporter.emplace(output_path(options.views.trace), system,
                          trace::PerfettoOptions{.bounds = analysis::response_bounds(report.bounds)}));
  }

  report.outcome =
      placing_problems(input, system, [&] { return sim::simulate(system, simulation, observers); });
  report.tasks = statistics.all();
  flow.finish(report.outcome.reached);
  report.chains = flow.all();
  report.misses = statistics.misses();
  report.first_miss = first_miss.job();
  report.recording = recorder.take();
  if (exporter) {
    exporter->finish(report.outcome.reached);
    report.trace_truncated = exporter->truncated();
  }
  return report;
}

int run(const SimOptions& options) {
  parse_seed(options.seed_text);  // reports a wrong one first
  check_views(options.views, {options.file, options.overrides.chains});
  drawn_range(options.views);  // reports a wrong range before the simulation
  const InterruptGuard guard;  // before the first file is created
  OutputFile timeline{options.views.timeline};
  const SimReport report = simulate(options);
  // A schedule that ends when all jobs are done is drawn up to the last deadlines.
  const bool ends_by_itself =
      options.horizon.empty() && std::ranges::all_of(report.system.tasks, [](const Task& task) {
        return task.arrival == Arrival::once;
      });
  const report::TimelineRange range =
      drawn_range(options.views, ends_by_itself ? never : report.outcome.reached);
  timeline.write(timeline_of(options.views, report.system, report.recording,
                             analysis::response_bounds(report.bounds), range));
  if (options.views.json) {
    print_json(report, options);
  } else {
    print_beside(options.views.takes_standard_output(), text_of(report, options, range));
  }
  say_what_was_written(options.views, report.recording, report.trace_truncated);
  if (report.outcome.ending == SimulationEnd::interrupted) return interrupted;
  return report.holds() ? answer_yes : answer_no;
}

}  // namespace

void add_sim(Verb app) {
  const Verb verb = app.add_verb("sim", "What happens? Simulates the GPU's own scheduler, block by block");
  const auto options = std::make_shared<SimOptions>();
  verb.add_option("FILE", options->file, "System file, AMALTHEA model, or - for standard input").required();
  verb.add_option("--for", options->horizon,
                  "How long to simulate, with a unit (default: two hyperperiods after the largest offset; "
                  "where these hold too many jobs, two cycles of the rates, or a stated length)")
      .type_name("TIME");
  verb.add_option("--seed", options->seed_text, "Seed of everything random (default 1)").type_name("N");
  verb.add_option("--execution", options->execution, "Execution times: worst, best or random (default worst)")
      .one_of({"worst", "best", "random"});
  add_view_options(verb, options->views);
  add_override_options(verb, options->overrides);
  verb.footer(examples);
  verb.runs([options] { return run(*options); });
}

}  // namespace tactus::cli
