// tactus measure: times of real kernels and copies, and what the machine adds, ready for a system file.
#include "tactus/cli/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tactus/base/error.hpp"
#include "tactus/base/file.hpp"
#include "tactus/base/text.hpp"
#include "tactus/base/threads.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/cli/devices.hpp"
#include "tactus/cli/input.hpp"
#include "tactus/cli/interrupt.hpp"
#include "tactus/cli/measure_text.hpp"
#include "tactus/cli/progress.hpp"
#include "tactus/cli/usage.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/io/units.hpp"
#include "tactus/model/presets.hpp"

namespace tactus::cli {

namespace {

using nlohmann::ordered_json;

constexpr std::string_view usual_margin_rule = "max*1.2";
const std::vector<std::string> kernel_names{"compute",          "branch",        "memory",
                                            "special-function", "comprehensive", "spin"};

struct CommonOptions {
  std::string samples;
  std::string margin{usual_margin_rule};
  std::string output;
  bool json = false;
};

struct OverheadOptions : CommonOptions {
  DeviceChoice device;
  std::string base;
};

struct KernelOptions : CommonOptions {
  std::vector<std::string> kernels{"all"};
  std::vector<int> sms;
  std::vector<unsigned> virtual_sms{1, 2, 4};
  std::string co_runner;
  unsigned blocks = 0;
  unsigned threads = 1024;
  std::string work;
  std::string block_time = "10us";
};

struct CopyOptions : CommonOptions {
  std::vector<std::string> sizes{"4B",     "1KiB", "4KiB", "16KiB", "64KiB",
                                 "256KiB", "1MiB", "4MiB", "16MiB", "64MiB"};
};

int samples_of(const std::string& text, int usual) {
  if (text.empty()) return usual;
  constexpr std::int64_t most = 10'000'000;
  const io::Parsed<std::int64_t> parsed = io::parse_integer(text);
  if (!parsed.value || *parsed.value < 1 || *parsed.value > most) {
    throw InputError{"--samples: '" + text + "' is no number of samples", "from 1 to 10000000"};
  }
  return static_cast<int>(*parsed.value);
}

/// An output file is opened first: a path that cannot be written is better said before the work than after.
class Output {
 public:
  explicit Output(const std::string& path) : path_{path} {
    if (is_standard_stream(path)) throw InputError{"-o -: the entry is printed anyway", "leave it out"};
    if (!path.empty()) file_.emplace(path);
  }
  void finish(const std::string& entry) {
    if (!file_) return;
    file_->write(entry);
    file_->commit();
    say("entry: " + shown(path_));
  }

 private:
  std::string path_;
  std::optional<AtomicFile> file_;
};

/// Where half of the samples would tell too little.
int end_interrupted() {
  say("interrupted: nothing was written");
  return interrupted;
}

int status_now() { return InterruptGuard::flag().load() ? interrupted : answer_yes; }

void show(const CommonOptions& options, const ordered_json& json, const std::string& text) {
  print(options.json ? json.dump() + "\n" : text);
}

ordered_json overheads_json(const Overheads& overheads) {
  return {{"release_ns", overheads.release.count()},
          {"launch_ns", overheads.launch.count()},
          {"completion_ns", overheads.completion.count()},
          {"copy_ns", overheads.copy.count()},
          {"cpu_ns", overheads.cpu.count()}};
}

// --- overheads --------------------------------------------------------------------------------------------

Platform preset_named(const std::string& name) {
  const std::optional<Platform> preset = find_preset(name);
  if (!preset) throw InputError{"--base: there is no platform '" + name + "'", preset_hint(name)};
  return *preset;
}

/// What is true of this machine: its CPUs, each of which can be at one block of a bound kernel.
Platform host_platform() {
  const auto cpus = static_cast<std::int32_t>(std::max<std::size_t>(1, available_cpus().size()));
  Platform platform;
  platform.clusters = {cpus};
  platform.gpu.sms = cpus;
  return platform;
}

struct OverheadReport {
  std::string device;
  Platform platform;
  measure::MeasuredOverheads measured;
  std::optional<BareSummaries> bare;
};

/// A first look at copies: their bandwidth tells what a copy takes beyond it.
measure::CopyModel model_of(const std::vector<CopyPoint>& points, const measure::MarginRule& rule) {
  std::vector<measure::CopyTime> times;
  times.reserve(points.size());
  for (const CopyPoint& point : points) {
    times.push_back({point.bytes, std::max(rule.apply(point.to_device), rule.apply(point.from_device))});
  }
  return measure::fit_copies(times);
}

OverheadReport measure_on_host(const OverheadOptions& options, measure::OverheadQuestion question) {
  OverheadReport report;
  report.device = "host";
  report.platform = options.base.empty() ? host_platform() : preset_named(options.base);
  question.platform = report.platform;
  question.platform.clusters = {1};  // one core at work is what is measured
  // The host device copies as fast as its platform says.
  constexpr std::int64_t any_bandwidth = 10'000'000'000;
  if (!question.platform.gpu.copy_bandwidth) question.platform.gpu.copy_bandwidth = any_bandwidth;
  const std::unique_ptr<device::Device> device = make_device(options.device);
  const std::unique_ptr<measure::StampedWork> work = measure::make_host_work();
  report.measured = measure::measure_overheads(*device, *work, question);
  return report;
}

OverheadReport measure_on_gpu(const OverheadOptions& options, measure::OverheadQuestion question,
                              const measure::MarginRule& rule) {
  // First: it says how CUDA is to start.
  const std::unique_ptr<device::Device> device = make_device(options.device);
  const CudaPlatform found = cuda_platform();
  OverheadReport report;
  report.device = found.name;
  report.platform = options.base.empty() ? found.platform : preset_named(options.base);
  constexpr int few = 100;
  const std::vector<CopyPoint> copies = measure_copies(
      {.bytes = {4, 65'536, 1'048'576, 16'777'216}, .samples = few}, {.progress = {}, .stop = question.stop});
  if (status_now() == interrupted) return report;
  report.platform.gpu.copy_bandwidth = model_of(copies, rule).bandwidth;
  question.platform = found.platform;
  question.platform.gpu.copy_bandwidth = report.platform.gpu.copy_bandwidth;
  CudaOverheads overheads = measure_cuda_overheads(*device, question);
  report.measured = std::move(overheads.measured);
  report.bare = overheads.bare;
  return report;
}

std::vector<SummaryRow> rows_of(const OverheadReport& report) {
  const measure::MeasuredOverheads& measured = report.measured;
  std::vector<SummaryRow> rows{{"release", measure::summary_of(measured.release)},
                               {"launch", measure::summary_of(measured.launch)},
                               {"completion", measure::summary_of(measured.completion)},
                               {"round_trip", measure::summary_of(measured.round_trip)},
                               {"copy", measure::summary_of(measured.copy)},
                               {"cpu", measure::summary_of(measured.cpu)}};
  if (report.bare) {
    rows.push_back({"bare_launch", report.bare->launch});
    rows.push_back({"bare_completion", report.bare->completion});
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
  for (const std::string& what : report.measured.not_enforced) text += "Not enforced: " + what + ".\n";
  return text;
}

int run_overheads(const OverheadOptions& options) {
  const measure::MarginRule rule = measure::parse_margin_rule(options.margin);
  constexpr int usual_samples = 10'000;
  measure::OverheadQuestion question;
  question.samples = samples_of(options.samples, usual_samples);
  question.core = options.device.core;
  const InterruptGuard guard;  // before the file is there
  Output output{options.output};
  OverheadReport report;
  {
    Progress progress{"measuring overheads"};
    question.progress = [&](double part) { progress.show(part); };
    question.stop = &InterruptGuard::flag();
    report = options.device.device == "host" ? measure_on_host(options, question)
                                             : measure_on_gpu(options, question, rule);
  }
  if (status_now() == interrupted) return end_interrupted();
  report.platform.overheads = measure::apply(rule, report.measured);
  const bool on_host = options.device.device == "host";
  std::string comment =
      fmt::format("Measured with `tactus measure overheads {}` on {}: {} each; rule: {}.",
                  words_of(options.device), on_host ? "threads of this machine" : report.device,
                  plural(static_cast<std::uint64_t>(question.samples), "sample"), rule.text());
  if (on_host && options.base.empty()) {
    comment +=
        "\nThreads stand for the GPU: as many SMs as CPUs. For a real one put `base: NAME` in the place "
        "of\n`cpus` and `gpu` (`tactus platforms`), and measure there.";
  }
  const std::string entry = platform_entry(report.platform, comment);
  output.finish(entry);
  ordered_json json{{"device", report.device}, {"rule", rule.text()}};
  for (const SummaryRow& row : rows_of(report)) json[row.name] = to_json(row.summary);
  json["uncertainty_ns"] = report.measured.uncertainty.count();
  json["not_enforced"] = report.measured.not_enforced;
  json["overheads"] = overheads_json(report.platform.overheads);
  json["entry"] = entry;
  show(options, json, summaries_table(rows_of(report)) + overhead_notes(report) + "\n" + entry);
  return answer_yes;
}

// --- kernel -----------------------------------------------------------------------------------------------

Duration parse_block_time(const std::string& text) {
  const io::Parsed<Duration> parsed = io::parse_duration(text);
  if (!parsed.value) throw InputError{"--block-time: '" + text + "' " + parsed.message, parsed.hint};
  if (*parsed.value <= Duration{}) throw InputError{"--block-time: must be longer than 0"};
  return *parsed.value;
}

KernelQuestion question_of(const KernelOptions& options) {
  constexpr int usual_samples = 200;
  KernelQuestion question;
  for (const std::string& name : options.kernels) {
    if (name == "all") {
      question.kernels = kernel_names;
    } else {
      question.kernels.push_back(name);
    }
  }
  for (const int sms : options.sms) {
    if (sms < 1) throw InputError{"--sms: " + std::to_string(sms) + " is no number of SMs"};
  }
  question.sms = options.sms;
  question.virtual_sms = options.virtual_sms;
  if (!options.co_runner.empty()) question.co_runner = options.co_runner;
  question.blocks = options.blocks;
  question.threads = options.threads;
  if (!options.work.empty()) {
    const io::Parsed<std::int64_t> amount = io::parse_integer(options.work);
    if (!amount.value || *amount.value < 1) {
      throw InputError{"--work: '" + options.work + "' is no amount of work", "a whole number from 1"};
    }
    question.amount = static_cast<std::uint64_t>(*amount.value);
  }
  question.block_time = parse_block_time(options.block_time);
  question.samples = samples_of(options.samples, usual_samples);
  return question;
}

int run_kernel(const KernelOptions& options) {
  const measure::MarginRule rule = measure::parse_margin_rule(options.margin);
  const KernelQuestion question = question_of(options);
  const InterruptGuard guard;
  Output output{options.output};
  const std::string device = cuda_platform().name;
  std::vector<measure::KernelMeasurement> measured;
  int status = answer_yes;
  {
    Progress progress{"measuring kernels"};
    measured = measure_kernels(
        question, {.progress = [&](double part) { progress.show(part); }, .stop = &InterruptGuard::flag()});
    status = status_now();
  }
  std::string entries;
  std::string text;
  ordered_json kernels = ordered_json::array();
  for (const measure::KernelMeasurement& one : measured) {
    if (one.series.empty()) continue;
    entries += kernel_entries_text(one, rule);
    text += kernel_text(one) + "\n";
    kernels.push_back(to_json(one, rule));
  }
  if (status == answer_yes) output.finish(entries);
  // What was measured before is shown.
  if (status == interrupted)
    say("interrupted: these are the kernels that were measured; no file was written");
  show(options,
       {{"device", device},
        {"rule", rule.text()},
        {"interrupted", status == interrupted},
        {"kernels", kernels}},
       text +
           "Times are medians and maxima. V=2 x512: a pinned loop, 2 blocks of 512 threads at work on each "
           "SM.\n\n" +
           entries);
  return status;
}

// --- copy -------------------------------------------------------------------------------------------------

std::int64_t parse_copy_size(const std::string& text) {
  constexpr std::int64_t most = std::int64_t{1} << 33U;
  const io::Parsed<std::int64_t> parsed = io::parse_size(text);
  if (!parsed.value) throw InputError{"--sizes: '" + text + "' " + parsed.message, parsed.hint};
  if (*parsed.value < 1 || *parsed.value > most) throw InputError{"--sizes: from 1B to 8GiB, not " + text};
  return *parsed.value;
}

int run_copy(const CopyOptions& options) {
  const measure::MarginRule rule = measure::parse_margin_rule(options.margin);
  constexpr int usual_samples = 500;
  CopySizes question;
  for (const std::string& size : options.sizes) question.bytes.push_back(parse_copy_size(size));
  question.samples = samples_of(options.samples, usual_samples);
  const InterruptGuard guard;
  Output output{options.output};
  const CudaPlatform found = cuda_platform();
  std::vector<CopyPoint> points;
  {
    Progress progress{"measuring copies"};
    points = measure_copies(
        question, {.progress = [&](double part) { progress.show(part); }, .stop = &InterruptGuard::flag()});
  }
  if (status_now() == interrupted) return end_interrupted();
  const measure::CopyModel model = model_of(points, rule);
  Platform platform = found.platform;
  platform.gpu.copy_bandwidth = model.bandwidth;
  platform.overheads.copy = model.overhead;
  const std::string entry = platform_entry(
      platform,
      fmt::format("Measured with `tactus measure copy` on {}: {} a size and direction; rule: {}.", found.name,
                  plural(static_cast<std::uint64_t>(question.samples), "sample"), rule.text()));
  output.finish(entry);
  ordered_json json{{"device", found.name}, {"rule", rule.text()}, {"sizes", ordered_json::array()}};
  for (const CopyPoint& point : points) {
    json["sizes"].push_back({{"bytes", point.bytes},
                             {"to_device", to_json(point.to_device)},
                             {"from_device", to_json(point.from_device)}});
  }
  json["copy_bandwidth"] = model.bandwidth;
  json["copy_ns"] = model.overhead.count();
  json["entry"] = entry;
  show(options, json, copies_table(points, model) + "\n" + entry);
  return answer_yes;
}

// --- the command line -------------------------------------------------------------------------------------

constexpr std::string_view verb_help = R"(
A bound holds on a machine whose numbers are in the system file. This verb measures them and prints an entry
that is ready to be pasted.

  tactus measure overheads    what the machine adds: platform: {overheads: ...}
  tactus measure kernel       GPU work against SMs, interleaving:  gpu: {work: ..., overhead: ..., interleave: ...}
  tactus measure copy         copies against their size: copy_bandwidth and the copy overhead

A measured maximum is no proof of a worst case. The margin rule says what is added to it; it is printed and
written beside every entry: `max*1.2` (the default), `max`, `p99.9`, or either with another factor. All are
rounded up to a microsecond. Measure on the machine, as the user and under the load that will be there.

`tactus measure VERB --help` says more about each.

Examples:
  tactus measure overheads --device host
  tactus measure kernel --kernel compute
  tactus measure copy -o copies.yaml)";

constexpr std::string_view overheads_help = R"(
The engine, the scheduler and the device work as in `tactus run`, with one small job every 503 us:

  release     from the nominal release until the scheduler has handed the work to the device
  launch      from there until the work begins
  completion  from the end of the work until the engine knows
  copy        what a copy takes beyond bytes / bandwidth
  cpu         what a CPU segment takes beyond its CPU time

On the GPU the entry also has the copy_bandwidth that was found on the way.

Examples:
  tactus measure overheads --device host               this machine's threads
  tactus measure overheads --device cuda -o h200.yaml  the GPU
  tactus measure overheads --device cuda --samples 100000 --margin max*1.5
  tactus measure overheads --device cuda --core 3      the engine alone on CPU 3; use it with `tactus run`, too

Exit status: 0 done, 2 bad input or no CUDA in this build, 3 the device failed or is not there, 130 interrupted.)";

constexpr std::string_view kernel_help = R"(
A kernel does the same work on 1, 2, 4, ... SMs: as a plain grid in a partition, and as a pinned loop with V
blocks at work on each SM (V virtual SMs, blocks of at most 2048 / V threads). The device's clock is read right
before and right after it. From these times follow

  work        W: its time on one virtual SM, best and worst
  overhead    L: the part of it that more SMs do not shorten
  interleave  alpha: how much longer it takes beside V - 1 others of its kind

such that (W alpha - L) / v + L covers every time with its margin, where v counts virtual SMs. The ratio of the
table is RTGPU's (Table 2): the work is cut into V pieces; alpha = time of all pieces at once on m SMs / time of
one piece alone on m SMs. V / alpha is what interleaving gains. The entry belongs into systems whose platform has
the `virtual_sms_per_sm` that stands above it.

Kernels: compute, branch, memory, special-function, comprehensive (RTGPU, section 4.1) and spin, which only lets
time pass. To measure your own: <tactus/cuda/measure.hpp>.

Examples:
  tactus measure kernel                                       all, alone
  tactus measure kernel --kernel memory --co-runner memory    the other SMs busy with memory, too
  tactus measure kernel --kernel compute --sms 8,16,32 --virtual 2 --samples 1000

Exit status: 0 done, 2 bad input or no CUDA in this build, 3 the device failed or is not there, 130 interrupted.)";

constexpr std::string_view copy_help = R"(
Copies between locked memory and the GPU, from the call until its end is known. The entry has a bandwidth and an
overhead such that bytes / bandwidth + overhead covers every time with its margin, in both directions.

Examples:
  tactus measure copy
  tactus measure copy --sizes 4KiB,1MiB,8MiB --samples 2000 -o copies.yaml

Exit status: 0 done, 2 bad input or no CUDA in this build, 3 the device failed or is not there, 130 interrupted.)";

void add_common(Verb verb, CommonOptions& options, const char* samples) {
  verb.add_option("--samples", options.samples, samples).type_name("N");
  verb.add_option("--margin", options.margin,
                  "What becomes of the samples: max*1.2 (default), max, p99.9, max*F");
  verb.add_option("-o,--output", options.output, "Write the entry to this file, too").type_name("FILE");
  verb.add_flag("--json", options.json, "JSON for machines");
}

void add_overheads(Verb measure, Action& action) {
  const Verb verb = measure.add_verb("overheads", "What the machine adds to the work");
  const auto options = std::make_shared<OverheadOptions>();
  add_device_options(verb, options->device);
  verb.add_option("--base", options->base,
                  "The preset the entry changes (default: the GPU's; host: none, the CPUs of this machine)")
      .type_name("PLATFORM");
  add_common(verb, *options, "Of each overhead (default 10000: about 15 s)");
  verb.footer(overheads_help);
  verb.callback([&action, options] { action = [options] { return run_overheads(*options); }; });
}

void add_kernel(Verb measure, Action& action) {
  const Verb verb = measure.add_verb("kernel", "GPU work against the number of SMs, and interleaving");
  const auto options = std::make_shared<KernelOptions>();
  std::vector<std::string> names = kernel_names;
  const std::vector<std::string> co_runners = names;
  names.emplace_back("all");
  verb.add_option("--kernel", options->kernels, "Which, separated by commas (default all)")
      .delimiter(',')
      .one_of(names);
  verb.add_option("--sms", options->sms, "Numbers of SMs (default 1, 2, 4, ... and all)").delimiter(',');
  verb.add_option("--virtual", options->virtual_sms, "Virtual SMs of an SM (default 1,2,4)")
      .delimiter(',')
      .between(1, 16);
  verb.add_option("--co-runner", options->co_runner, "Once more with this kernel on all other SMs")
      .one_of(co_runners);
  verb.add_option("--blocks", options->blocks, "Of the work (default 8 for each SM of the GPU)")
      .between(1, 1'000'000);
  verb.add_option("--threads", options->threads, "Of a block, at most (default 1024)").between(32, 1024);
  verb.add_option("--work", options->work, "Of a block: iterations, or nanoseconds of spin");
  verb.add_option("--block-time", options->block_time,
                  "Instead of --work: its time alone on an SM (default 10us)");
  add_common(verb, *options, "Of each time (default 200)");
  verb.footer(kernel_help);
  verb.callback([&action, options] { action = [options] { return run_kernel(*options); }; });
}

void add_copy(Verb measure, Action& action) {
  const Verb verb = measure.add_verb("copy", "Copies against their size");
  const auto options = std::make_shared<CopyOptions>();
  verb.add_option("--sizes", options->sizes, "With units, separated by commas (default 4B to 64MiB)")
      .delimiter(',');
  add_common(verb, *options, "Of each size and direction (default 500)");
  verb.footer(copy_help);
  verb.callback([&action, options] { action = [options] { return run_copy(*options); }; });
}

}  // namespace

void add_measure(Verb app, Action& action) {
  const Verb verb =
      app.add_verb("measure", "Times of kernels, copies and overheads, ready for a system file");
  verb.require_verb();
  verb.footer(verb_help);
  add_overheads(verb, action);
  add_kernel(verb, action);
  add_copy(verb, action);
}

}  // namespace tactus::cli
