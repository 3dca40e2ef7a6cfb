// tactus measure overheads: the delays that the machine adds.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tactus/base/error.hpp"
#include "tactus/base/text.hpp"
#include "tactus/cli/devices.hpp"
#include "tactus/cli/interrupt.hpp"
#include "tactus/cli/measure.hpp"
#include "tactus/cli/measure_text.hpp"
#include "tactus/cli/progress_bar.hpp"
#include "tactus/measure/json.hpp"
#include "tactus/model/presets.hpp"

namespace tactus::cli {

namespace {

using measure::OverheadReport;
using nlohmann::ordered_json;

struct OverheadOptions : MeasureOptions {
  DeviceChoice device;
  std::string base;
  std::optional<int> launchers;
};

std::optional<Platform> base_named(const std::string& name) {
  if (name.empty()) return std::nullopt;
  std::optional<Platform> preset = find_preset(name);
  if (!preset) throw InputError{"--base: there is no platform '" + name + "'", preset_hint(name)};
  return preset;
}

std::vector<SummaryRow> rows_of(const OverheadReport& report) {
  const measure::MeasuredOverheads& measured = report.measured;
  std::vector<SummaryRow> rows{{"release", measure::summary_of(measured.release)},
                               {"launch", measure::summary_of(measured.launch)},
                               {"completion", measure::summary_of(measured.completion)},
                               {"round_trip", measure::summary_of(measured.round_trip)},
                               {"copy", measure::summary_of(measured.copy)},
                               {"cpu", measure::summary_of(measured.cpu)}};
  if (!measured.resident_release.empty()) {
    rows.push_back({"resident_release", measure::summary_of(measured.resident_release)});
    rows.push_back({"resident_completion", measure::summary_of(measured.resident_completion)});
  }
  if (!measured.doorbell.empty()) rows.push_back({"doorbell", measure::summary_of(measured.doorbell)});
  if (!measured.engine_event.empty()) {
    rows.push_back({"engine_event", measure::summary_of(measured.engine_event)});
    rows.push_back({"engine_submit", measure::summary_of(measured.engine_submit)});
  }
  if (report.bare) {
    rows.push_back({"bare_launch", report.bare->launch});
    rows.push_back({"bare_completion", report.bare->completion});
  }
  for (const measure::LaunchesBeside& beside : report.launches) {
    rows.push_back({fmt::format("launch_beside_{}", beside.threads), beside.calls});
  }
  return rows;
}

std::string overhead_notes(const OverheadReport& report) {
  std::string text =
      "\nround_trip: launch and completion together, of work of a given length; the entry covers it.\n";
  if (report.bare) {
    text += fmt::format(
        "bare_*: the same calls without the scheduler. Where launch ends and completion begins was told by "
        "the\n"
        "device's clock, which is known to +-{}: so much is added to both.\n",
        to_text(report.measured.uncertainty));
  }
  text +=
      "engine_*: what the engine's thread takes for an event and for a submission, with eight tasks released "
      "together.\n";
  if (!report.launches.empty()) {
    text +=
        "launch_beside_K: the calls of one launch while K other threads of the process enqueue without "
        "end.\n";
  }
  for (const std::string& what : report.measured.not_enforced) text += "Not enforced: " + what + ".\n";
  return text;
}

OverheadReport measure_device(const OverheadOptions& options, measure::OverheadQuestion question,
                              const measure::MarginRule& rule) {
  ProgressBar progress{"measuring overheads"};
  question.watch = progress.watch();
  // Made first: its options decide how CUDA is initialised.
  const std::unique_ptr<device::Device> device = make_device(options.device);
  const measure::Measurements& how = *device_named(options.device.device).measurements;
  return how.overheads(*device, base_named(options.base), std::move(question), rule);
}

std::string comment_of(const OverheadReport& report, const OverheadOptions& options, int samples,
                       const measure::MarginRule& rule) {
  std::string comment = fmt::format("Measured with `tactus measure overheads {}` on {}: {} each; rule: {}.",
                                    words_of(options.device),
                                    report.threads_stand_in ? "threads of this machine" : report.device,
                                    plural(samples, "sample"), rule.text());
  if (report.threads_stand_in && options.base.empty()) {
    comment +=
        "\nThreads stand for the GPU: as many SMs as CPUs. For a real one put `base: NAME` in the place "
        "of\n`cpus` and `gpu` (`tactus platforms`), and measure there.";
  }
  if (!report.launches.empty()) {
    comment += "\nA launch beside other threads that enqueue without end (launchers):";
    for (const measure::LaunchesBeside& beside : report.launches) {
      comment += fmt::format("{} {} beside {}", &beside == &report.launches.front() ? "" : ",",
                             to_text(rule.apply(beside.calls)), beside.threads);
    }
    comment += ".";
  }
  if (options.launchers.value_or(0) > 0) {
    comment += fmt::format("\nlaunch, copy and engine.submit are those beside {} (--launchers).",
                           plural(*options.launchers, "launcher"));
  }
  return comment;
}

void add_launchers(const OverheadReport& report, const measure::MarginRule& rule, int launchers,
                   Overheads& overheads) {
  const Duration delay = measure::delay_by_launchers(rule, report.launches, launchers);
  overheads.launch += delay;
  overheads.copy += delay;
  overheads.engine.submit += delay;
}

int run(const OverheadOptions& options) {
  const measure::MarginRule rule = measure::parse_margin_rule(options.margin);
  constexpr int usual_samples = 10'000;
  measure::OverheadQuestion question;
  question.samples = samples_of(options.samples, usual_samples);
  question.core = options.device.core;
  if (options.launchers.value_or(0) > 0 && options.device.device != "cuda") {
    throw InputError{"--launchers: threads that launch meet in the driver of a GPU", "with --device cuda"};
  }
  const InterruptGuard guard;  // before the file is created
  EntryFile output{options.output};
  OverheadReport report = measure_device(options, question, rule);
  if (is_interrupted()) return end_interrupted();
  report.platform.overheads = measure::apply(rule, report.measured);
  add_launchers(report, rule, options.launchers.value_or(0), report.platform.overheads);
  const std::string entry =
      platform_entry(report.platform, comment_of(report, options, question.samples, rule));
  output.finish(entry);
  ordered_json json{{"device", report.device}, {"rule", rule.text()}};
  for (const SummaryRow& row : rows_of(report)) json[row.name] = measure::to_json(row.summary);
  json["uncertainty_ns"] = report.measured.uncertainty.count();
  json["not_enforced"] = report.measured.not_enforced;
  json["overheads"] = measure::to_json(report.platform.overheads);
  json["entry"] = entry;
  show(options, json.dump(), summaries_table(rows_of(report)) + overhead_notes(report) + "\n" + entry);
  return answer_yes;
}

constexpr std::string_view help = R"(
The engine, the scheduler and the device work as in `tactus run`, with one small job every 503 us:

  release     from the nominal release until the scheduler has handed the work to the device
  launch      from there until the work begins
  completion  from the end of the work until the engine knows
  copy        what a copy takes beyond bytes / bandwidth
  cpu         what a CPU segment takes beyond its CPU time
  engine      what the engine's thread takes for an event, and for a submission: eight jobs every 503 us
  resident    what is added to a job that the GPU releases itself (`dispatch: resident`), before and after
  doorbell    what is added to one that waits on its SMs and is rung (`dispatch: doorbell`)

On the GPU the entry also has the copy_bandwidth that was found on the way.

Examples:
  tactus measure overheads --device host               this machine's threads
  tactus measure overheads --device cuda -o h200.yaml  the GPU
  tactus measure overheads --device cuda --samples 100000 --margin max*1.5
  tactus measure overheads --device cuda --launchers 2  two tasks have `launcher: true`
  tactus measure overheads --device cuda --core 3      the engine alone on CPU 3; use it with `tactus run`, too

Exit status: 0 done, 2 bad input or no CUDA in this build, 3 the device failed or is not there, 130 interrupted.)";

}  // namespace

void add_measure_overheads(Verb measure) {
  const Verb verb = measure.add_verb("overheads", "What the machine adds to the work");
  const auto options = std::make_shared<OverheadOptions>();
  add_device_options(verb, options->device);
  verb.add_option("--base", options->base,
                  "The preset the entry changes (default: the GPU's; host: none, the CPUs of this machine)")
      .type_name("PLATFORM");
  verb.add_option("--launchers", options->launchers,
                  "Tasks with `launcher: true`: launch, copy and engine.submit are those beside so many "
                  "threads that launch")
      .type_name("N")
      .between(0, 4);
  add_measure_options(verb, *options, "Of each overhead (default 10000: about 15 s)");
  verb.footer(help);
  verb.runs([options] { return run(*options); });
}

}  // namespace tactus::cli
