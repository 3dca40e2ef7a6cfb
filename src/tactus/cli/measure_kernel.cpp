// tactus measure kernel: times of GPU work by number of SMs, and interleave ratios.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tactus/cli/input.hpp"
#include "tactus/cli/interrupt.hpp"
#include "tactus/cli/measure.hpp"
#include "tactus/cli/measure_text.hpp"
#include "tactus/cli/progress_bar.hpp"
#include "tactus/measure/json.hpp"

namespace tactus::cli {

namespace {

using nlohmann::ordered_json;

const std::vector<std::string> kernel_names{"compute",          "branch",        "memory",
                                            "special-function", "comprehensive", "spin"};

struct KernelOptions : MeasureOptions {
  std::vector<std::string> kernels{"all"};
  std::vector<int> sms;
  std::vector<unsigned> virtual_sms{1, 2, 4};
  std::string co_runner;
  unsigned blocks = 0;
  unsigned threads = 1024;
  std::string work;
  std::string block_time = "10us";
};

Duration parse_block_time(const std::string& text) {
  const Duration time = option_value("--block-time", text, io::parse_duration(text));
  if (time <= Duration{}) throw InputError{"--block-time: must be longer than 0"};
  return time;
}

measure::KernelQuestion question_of(const KernelOptions& options) {
  constexpr int usual_samples = 200;
  measure::KernelQuestion question;
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

int run(const KernelOptions& options) {
  const measure::MarginRule rule = measure::parse_margin_rule(options.margin);
  const measure::KernelQuestion question = question_of(options);
  const InterruptGuard guard;
  EntryFile output{options.output};
  const measure::Measurements& gpu = gpu_measurements();
  const std::string device = gpu.find().name;
  std::vector<measure::KernelMeasurement> measured;
  int status = answer_yes;
  {
    ProgressBar progress{"measuring kernels"};
    measured = gpu.kernels(question, progress.watch());
    if (is_interrupted()) status = interrupted;
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
  // Show what was measured before the interruption.
  if (status == interrupted)
    say("interrupted: these are the kernels that were measured; no file was written");
  show(options,
       ordered_json{{"device", device},
                    {"rule", rule.text()},
                    {"interrupted", status == interrupted},
                    {"kernels", kernels}}
           .dump(),
       text +
           "Times are medians and maxima. V=2 x512: a pinned loop, 2 blocks of 512 threads at work on each "
           "SM.\n\n" +
           entries);
  return status;
}

constexpr std::string_view help = R"(
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

}  // namespace

void add_measure_kernel(Verb measure) {
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
  add_measure_options(verb, *options, "Of each time (default 200)");
  verb.footer(help);
  verb.runs([options] { return run(*options); });
}

}  // namespace tactus::cli
