// tactus run: runs a system, on threads of this machine or on a GPU.
#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tactus/analysis/check.hpp"
#include "tactus/analysis/observed_chains.hpp"
#include "tactus/base/error.hpp"
#include "tactus/base/text.hpp"
#include "tactus/cli/chains.hpp"
#include "tactus/cli/devices.hpp"
#include "tactus/cli/input.hpp"
#include "tactus/cli/interrupt.hpp"
#include "tactus/cli/progress_bar.hpp"
#include "tactus/cli/schedule.hpp"
#include "tactus/cli/schedule_json.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/cli/views.hpp"
#include "tactus/runtime/json.hpp"
#include "tactus/runtime/runtime.hpp"
#include "tactus/sched/core.hpp"
#include "tactus/trace/json.hpp"
#include "tactus/trace/perfetto.hpp"
#include "tactus/trace/recorder.hpp"

namespace tactus::cli {

namespace {

constexpr std::string_view examples = R"(
Every segment of the file is run by a built-in kernel that takes the time the file says: on the host device
threads and timers of this machine act as GPU, on the cuda device kernels run on the GPU. The schedule is made
by the code that `tactus sim` simulates. Observed response times stand beside the bounds that are proven.

Give the platform's overheads in the file (`tactus measure overheads` finds them): without them a bound does not
know what the machine adds. A run may then exceed it, which is shown but not counted.

Ctrl-C ends the run in order: the results so far are printed and files are finished. Pressed again after more than a
second it ends the program at once. SIGTERM and SIGHUP do the same.

Examples:
  tactus run robot.yaml --device host                  10 s on this machine
  tactus run robot.yaml --device cuda --for 1min       on the GPU
  tactus run robot.yaml --device cuda --kernel memory  busy with memory instead of a clock
  tactus run robot.yaml --device host --trace t.json   open it at ui.perfetto.dev

Exit status: 0 no deadline missed, no limit of a chain passed and no bound exceeded that counts the machine's
overheads, 1 otherwise, 2 bad input, 3 the device failed, 130 interrupted (the results so far are printed).)";

struct RunOptions {
  std::string file;
  DeviceChoice device;
  std::string length = "10s";
  std::string seed_text = "1";
  std::string execution = "worst";
  std::string kernel = usual_kernel;
  Views views;
  OverrideOptions overrides;
};

struct Seen {
  RunReport report;
  trace::Recording recording;
  bool trace_truncated = false;
};

Seen run_system(const RunOptions& options, System system) {
  Seen seen;
  trace::Recorder recorder{recorder_options(options.views)};
  std::optional<trace::PerfettoExporter> exporter;

  RuntimeOptions settings;
  settings.seed = parse_seed(options.seed_text);
  settings.execution = execution_named(options.execution);
  settings.sporadic_by_call = false;
  settings.core = options.device.core;
  const Duration length = *parse_length(options.length);
  ProgressBar progress{"running " + system.name};
  Runtime runtime{make_device(options.device, options.kernel), std::move(system), settings};
  runtime.stop_when(InterruptGuard::flag());
  if (options.views.recorded()) runtime.observe(recorder);
  if (!options.views.trace.empty()) {
    runtime.observe(exporter.emplace(
        output_path(options.views.trace), runtime.system(),
        trace::PerfettoOptions{.bounds = analysis::response_bounds(runtime.proven_bounds())}));
  }
  runtime.on_progress([&](Time now) {
    progress.show(static_cast<double>(in_ns(now)) / static_cast<double>(length.count()));
  });
  seen.report = runtime.run_for(length);
  seen.recording = recorder.take();
  const bool trace_failed = !seen.report.observer_failures.empty();
  if (exporter && !trace_failed) {
    exporter->finish(seen.report.outcome.reached);
    seen.trace_truncated = exporter->truncated();
  }
  return seen;
}

std::string ending_line(const runtime::Outcome& outcome, const System& system) {
  switch (outcome.ending) {
    case runtime::RunEnd::horizon:
      return {};
    case runtime::RunEnd::stopped:
      return fmt::format("Interrupted at {}.\n", to_text(outcome.reached));
    case runtime::RunEnd::miss:
      return fmt::format("Ended at {}: a task of {} says `on_miss: stop`.\n", to_text(outcome.reached),
                         system.name);
    case runtime::RunEnd::failed:
      return fmt::format("FAILED at {}: {}.\n", to_text(outcome.reached), outcome.failure);
    case runtime::RunEnd::lost:
      break;
  }
  return fmt::format("LOST at {}: {}.\n", to_text(outcome.reached), outcome.failure);
}

/// Events of a task's jobs other than completions and misses; empty if there were none.
std::string incidents_line(const std::string& name, const trace::TaskTally& tally) {
  std::string text;
  const auto add = [&](std::uint64_t jobs, std::string_view what) {
    if (jobs > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", with_thousands(jobs), what);
  };
  add(tally.overruns, "used up the budget");
  add(tally.aborted, "aborted");
  add(tally.skipped, "skipped");
  add(tally.failed, "failed");
  add(tally.no_room, "without room");
  add(tally.full, "turned away (max_jobs were in progress)");
  return text.empty() ? text : fmt::format("Jobs of '{}': {}.\n", name, text);
}

/// Without overheads in the file the bounds hold for an ideal machine only, so exceeding them is not an
/// error.
std::string exceeded_bounds_lines(const RunReport& report) {
  std::string text;
  for (const TaskIndex task : report.exceeded_bounds()) {
    const trace::TaskTally& tally = report.outcome.tasks[task];
    text += fmt::format(
        "{}: '{}' {} {}, {} {}.\n", report.counts_overheads() ? "BOUND EXCEEDED" : "Beyond the ideal machine",
        report.system.tasks[task].name, tally.completed_in_longest() ? "took" : "was not done after",
        to_text(*tally.longest_known),
        report.counts_overheads() ? "proven was" : "the bound without overheads is",
        to_text(*report.bounds[task]));
  }
  for (const auto& broken : analysis::broken_chain_bounds(report.chain_bounds, report.chains)) {
    text += fmt::format("{}: the {} of chain '{}' was {}, {} {}.\n",
                        report.counts_overheads() ? "BOUND EXCEEDED" : "Beyond the ideal machine",
                        broken.what, broken.chain, to_text(broken.seen),
                        report.counts_overheads() ? "proven was" : "the bound without overheads is",
                        to_text(broken.bound));
  }
  if (text.empty()) return text;
  return text + (report.counts_overheads()
                     ? "Are the platform's overheads in the file large enough? `tactus measure overheads` "
                       "finds them.\n"
                     : "The file has no `overheads`: `tactus measure overheads` finds those of this "
                       "machine.\n");
}

std::string absences_line(const device::Absences& absences) {
  if (absences.times == 0) return {};
  return fmt::format(
      "The engine's CPU was taken from it {} for {} or more while it waited, {} at the longest: "
      "by the kernel, another thread or a hypervisor.\n",
      plural(absences.times, "time"), to_text(device::min_absence),
      rounded_text(absences.longest, Rounding::up));
}

/// What bound functions took, and the assumption that was broken first.
std::string assumptions_lines(const RunReport& report) {
  const device::AssumptionsSeen& seen = report.outcome.assumptions;
  std::string text;
  if (seen.first) {
    text += "ASSUMPTION BROKEN FIRST: " + to_text(report.system, *seen.first) + ".\n";
  }
  for (TaskIndex task = 0; task < seen.segments.size(); ++task) {
    for (std::size_t segment = 0; segment < seen.segments[task].size(); ++segment) {
      const device::SegmentTimes& times = seen.segments[task][segment];
      if (times.calls.count == 0) continue;
      text +=
          fmt::format("The function of '{}', segment {}, took {} on average, {} at the longest{}.\n",
                      report.system.tasks[task].name, segment, rounded_text(times.calls.mean(), Rounding::up),
                      rounded_text(times.calls.longest, Rounding::up),
                      times.assumed_call ? "; declared are " + to_text(*times.assumed_call) : "");
    }
  }
  return text;
}

std::string closing_lines(const Seen& seen) {
  const RunReport& report = seen.report;
  const runtime::Outcome& outcome = report.outcome;
  std::string text = misses_line(report.system, report.misses, outcome.first_miss, outcome.reached);
  text += exceeded_bounds_lines(report);
  for (TaskIndex task = 0; task < outcome.tasks.size(); ++task) {
    text += incidents_line(report.system.tasks[task].name, outcome.tasks[task]);
  }
  if (outcome.pending > 0) {
    text += fmt::format("{} pending at {}{}.\n", plural(outcome.pending, "job"), to_text(outcome.reached),
                        outcome.unseen > 0 ? fmt::format(", {} not yet seen by the scheduler", outcome.unseen)
                                           : std::string{});
  }
  if (outcome.untold > 0) {
    text += fmt::format(
        "Releases came faster than they could be looked at: lists and traces leave out {}{}.\n",
        plural(outcome.untold, "job"), outcome.counts_all ? "" : ", and still later ones were not counted");
  }
  text += ending_line(outcome, report.system);
  text += assumptions_lines(report);
  text += absences_line(outcome.absences);
  for (const std::string& what : outcome.not_enforced) text += "Not enforced: " + what + ".\n";
  return text;
}

std::string text_of(const Seen& seen, const RunOptions& options, const report::TimelineRange& range) {
  const RunReport& report = seen.report;
  const System& system = report.system;
  const std::vector<analysis::ProvenBound> proven = report.proven_bounds();
  std::string text = fmt::format("{} on the {} device, {}, 0 to {}\n\n", system.name, options.device.device,
                                 system.policy.strategy->name, to_text(report.outcome.reached));
  text += views_text(options.views, system, seen.recording, analysis::response_bounds(proven), range);
  text += tasks_table(system, report.tasks, proven, options.views.all) + "\n";
  return text + chain_times_text(report.chain_bounds, report.chains) + closing_lines(seen);
}

void print_json(const Seen& seen, const RunOptions& options) {
  const RunReport& report = seen.report;
  nlohmann::ordered_json json{{"system", report.system.name}, {"device", options.device.device}};
  json["horizon_ns"] = parse_length(options.length)->count();
  to_json(json, report.outcome);
  json["seed"] = parse_seed(options.seed_text);
  json["execution"] = options.execution;
  json["misses"] = report.misses;
  json["holds"] = report.holds();
  json["counts_overheads"] = report.counts_overheads();
  json["events_lost"] = report.events_lost;
  json["job_events_lost"] = report.job_events_lost;
  json["assumptions"] = runtime::assumptions_json(report.system, report.outcome.assumptions);
  json["tasks"] = tasks_json(report.system, report.tasks, report.proven_bounds());
  for (TaskIndex task = 0; task < report.tasks.size(); ++task) {
    to_json(json["tasks"][task], report.outcome.tasks[task]);
    json["tasks"][task]["segments"] = runtime::segments_json(report.outcome.assumptions.segments[task]);
  }
  if (!report.chains.empty()) json["chains"] = chains_json(report.chain_bounds, report.chains);
  for (const TaskIndex task : report.exceeded_bounds()) json["tasks"][task]["bound_exceeded"] = true;
  print_with_lists(json, report.system, options.views.jobs ? &seen.recording.ends : nullptr,
                   options.views.blocks ? &seen.recording.blocks : nullptr);
}

int status_of(const RunReport& report) {
  switch (report.outcome.ending) {
    case runtime::RunEnd::stopped:
      return interrupted;
    case runtime::RunEnd::failed:
    case runtime::RunEnd::lost:
      return failure;
    case runtime::RunEnd::horizon:
    case runtime::RunEnd::miss:
      break;
  }
  return report.holds() ? answer_yes : answer_no;
}

int run(const RunOptions& options) {
  check_views(options.views, {options.file, options.overrides.chains});
  drawn_range(options.views);  // reports a wrong range before the run
  const InterruptGuard guard;  // before the first file is created
  OutputFile timeline{options.views.timeline};
  const SystemText input = read_system_input(options.file, Completeness::complete, options.overrides.chains);
  const System system = system_of(input, Completeness::complete, options.overrides);
  const Seen seen = placing_problems(input, system, [&] { return run_system(options, system); });
  const report::TimelineRange range = drawn_range(options.views, seen.report.outcome.reached);
  timeline.write(timeline_of(options.views, seen.report.system, seen.recording,
                             analysis::response_bounds(seen.report.proven_bounds()), range));
  if (options.views.json) {
    print_json(seen, options);
  } else {
    print_beside(options.views.takes_standard_output(), text_of(seen, options, range));
  }
  if (!seen.report.observer_failures.empty()) {  // its file is not written
    for (const trace::ObserverFailure& failed : seen.report.observer_failures) say("error: " + failed.what);
    return failure;
  }
  if (seen.report.events_lost > 0) {
    say(fmt::format("note: {} came too fast to be kept; lists and traces miss them{}",
                    plural(seen.report.events_lost, "event"),
                    seen.report.job_events_lost > 0 ? ", and so does p99" : ""));
  }
  say_what_was_written(options.views, seen.recording, seen.trace_truncated);
  return status_of(seen.report);
}

}  // namespace

void add_run(Verb app) {
  const Verb verb = app.add_verb("run", "Make it happen: runs the schedule on a device");
  const auto options = std::make_shared<RunOptions>();
  verb.add_option("FILE", options->file, "System file, AMALTHEA model, or - for standard input").required();
  add_device_options(verb, options->device);
  verb.add_option("--for", options->length, "How long to run, with a unit (default 10s)").type_name("TIME");
  verb.add_option("--seed", options->seed_text, "Seed of everything random (default 1)").type_name("N");
  verb.add_option("--execution", options->execution,
                  "How long work takes: worst, best or random (default worst)")
      .one_of({"worst", "best", "random"});
  verb.add_option("--kernel", options->kernel,
                  "What GPU work is made of: spin, compute, branch, memory, special-function, comprehensive "
                  "(default spin)")
      .one_of({"spin", "compute", "branch", "memory", "special-function", "comprehensive"});
  add_view_options(verb, options->views);
  add_override_options(verb, options->overrides);
  verb.footer(examples);
  verb.runs([options] { return run(*options); });
}

}  // namespace tactus::cli
