// tactus doctor: can this machine meet real-time requirements?
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tactus/cli/devices.hpp"
#include "tactus/cli/progress_bar.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/machine/doctor.hpp"
#include "tactus/machine/doctor_json.hpp"
#include "tactus/report/table.hpp"

namespace tactus::cli {

namespace {

using machine::Finding;
using machine::Severity;

struct DoctorOptions {
  std::string device;
  bool quick = false;
  bool json = false;
};

struct Diagnosis {
  std::vector<Finding> findings;
  std::optional<machine::TimerFacts> timers;
  std::vector<machine::GpuDevice> gpus;
};

machine::TimerFacts measure_timers() {
  ProgressBar progress{"measuring timers"};
  return machine::measure_timers({}, progress.watch());
}

Diagnosis examine(const DoctorOptions& options) {
  const machine::Target target =
      options.device.empty() ? machine::Target::any : device_named(options.device).target;
  Diagnosis diagnosis;
  machine::MachineFacts machine;
  machine.kernel = machine::read_kernel_facts();
  machine.permissions = machine::read_permissions();
  machine.attempts = machine::try_real_time(machine.kernel.isolated);
  if (!options.quick) machine.timers = measure_timers();
  diagnosis.timers = machine.timers;
  diagnosis.findings = check_machine(machine);
  if (target == machine::Target::host) return diagnosis;
  // Read these facts before CUDA is initialised: CUDA wakes the GPU up, which changes its clocks.
  machine::GpuFacts gpus = machine::read_gpu_facts();
  if (cuda_device.facts != nullptr) gpus.cuda = cuda_device.facts();
  if (gpus.cuda) diagnosis.gpus = gpus.cuda->devices;
  for (Finding& finding : check_gpus(gpus, target)) diagnosis.findings.push_back(std::move(finding));
  return diagnosis;
}

report::Tone tone_of(Severity severity) {
  using enum report::Tone;
  constexpr std::array tones{faint, good, strong, bad};  // in the order of the severities
  return tones.at(static_cast<std::size_t>(severity));
}

std::string table_of(const std::vector<Finding>& findings) {
  report::Table table{{"check", "result", "found"}, {}};
  for (const Finding& finding : findings) {
    table.add_row({finding.title,
                   {std::string{to_string(finding.severity)}, tone_of(finding.severity)},
                   finding.found});
  }
  return table.to_text(wants_colour(), text_width());
}

/// The most severe findings come first.
std::string advice_of(const std::vector<Finding>& findings) {
  std::string text;
  for (const Severity severity : {Severity::fail, Severity::warn}) {
    for (const Finding& finding : findings) {
      if (finding.severity != severity) continue;
      text += fmt::format("\n{}: {}\n  {}\n",
                          report::toned(std::string{to_string(severity)}, tone_of(severity), wants_colour()),
                          finding.title, finding.meaning);
      if (!finding.to_do.empty()) text += fmt::format("  What to do: {}\n", finding.to_do);
    }
  }
  return text;
}

std::string conclusion_of(const std::vector<Finding>& findings) {
  const auto number_of = [&](Severity severity) {
    return static_cast<std::uint64_t>(
        std::count_if(findings.begin(), findings.end(),
                      [&](const Finding& finding) { return finding.severity == severity; }));
  };
  const std::uint64_t failed = number_of(Severity::fail);
  const std::uint64_t warned = number_of(Severity::warn);
  if (failed != 0) {
    return fmt::format("This machine cannot keep real-time promises as it is: {} failed, {}.\n",
                       plural(failed, "check"), plural(warned, "warning"));
  }
  if (warned != 0) {
    return fmt::format("Nothing stands against real-time work here; {} {} what would make it surer.\n",
                       plural(warned, "warning"), warned == 1 ? "says" : "say");
  }
  return "Nothing stands against real-time work here.\n";
}

std::string json_of(const Diagnosis& diagnosis) {
  nlohmann::ordered_json checks = nlohmann::ordered_json::array();
  for (const Finding& finding : diagnosis.findings) checks.push_back(to_json(finding));
  nlohmann::ordered_json gpus = nlohmann::ordered_json::array();
  for (const machine::GpuDevice& device : diagnosis.gpus) gpus.push_back(to_json(device));
  nlohmann::ordered_json answer{{"verdict", to_string(worst(diagnosis.findings))},
                                {"checks", std::move(checks)},
                                {"timers", nullptr},
                                {"gpus", std::move(gpus)}};
  if (diagnosis.timers) answer["timers"] = to_json(*diagnosis.timers);
  return answer.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

int run(const DoctorOptions& options) {
  const Diagnosis diagnosis = examine(options);
  if (options.json) {
    print(json_of(diagnosis));
  } else {
    print_text(table_of(diagnosis.findings) + advice_of(diagnosis.findings) + "\n" +
               conclusion_of(diagnosis.findings));
  }
  return worst(diagnosis.findings) == Severity::fail ? answer_no : answer_yes;
}

constexpr const char* teaching = R"(
A proof counts what the machine adds. This verb looks whether the machine can be held to it: whether Tactus may
run before everything else, whether its memory stays, how late timers are, whether its CPU is taken away, and
what GPU and driver are there.
Run it on the machine, as the user and in the container, in which `tactus run` will be started. Nothing is
changed: what is tried is tried in a thread of its own, and taken back.

  pass  good
  info  good to know
  warn  works, with delays that are longer or less certain than they could be
  fail  cannot be enforced here: bounds may not hold

The lateness it measures belongs into the system file: `overheads: {release: ...}`.

Examples:
  tactus doctor                  the machine, and a GPU if there is one
  tactus doctor --device cuda    the same; without a usable GPU the answer is no
  sudo tactus doctor --quick     what would root be granted?

Exit status: 0 no check fails, 1 some check fails.)";

}  // namespace

void add_doctor(Verb app) {
  const Verb verb = app.add_verb("doctor", "Can this machine keep real-time promises?");
  const auto options = std::make_shared<DoctorOptions>();
  verb.add_option("--device", options->device, "Judge for this device only: host or cuda")
      .one_of(device_names());
  verb.add_flag("--quick", options->quick, "Do not measure timers (spares 1.5 s)");
  verb.add_flag("--json", options->json, "JSON for machines");
  verb.footer(teaching);
  verb.runs([options] { return run(*options); });
}

}  // namespace tactus::cli
