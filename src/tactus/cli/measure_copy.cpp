// tactus measure copy: copy times by size.
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

struct CopyOptions : MeasureOptions {
  std::vector<std::string> sizes{"4B",     "1KiB", "4KiB", "16KiB", "64KiB",
                                 "256KiB", "1MiB", "4MiB", "16MiB", "64MiB"};
};

std::int64_t parse_copy_size(const std::string& text) {
  constexpr std::int64_t most = std::int64_t{1} << 33U;
  const std::int64_t size = option_value("--sizes", text, io::parse_size(text));
  if (size < 1 || size > most) throw InputError{"--sizes: from 1B to 8GiB, not " + text};
  return size;
}

int run(const CopyOptions& options) {
  const measure::MarginRule rule = measure::parse_margin_rule(options.margin);
  constexpr int usual_samples = 500;
  measure::CopyQuestion question;
  for (const std::string& size : options.sizes) question.bytes.push_back(parse_copy_size(size));
  question.samples = samples_of(options.samples, usual_samples);
  const InterruptGuard guard;
  EntryFile output{options.output};
  const measure::Measurements& gpu = gpu_measurements();
  const measure::FoundDevice found = gpu.find();
  std::vector<measure::CopyPoint> points;
  {
    ProgressBar progress{"measuring copies"};
    points = gpu.copies(question, progress.watch());
  }
  if (is_interrupted()) return end_interrupted();
  const measure::CopyModel model = measure::fit_copies(points, rule);
  Platform platform = found.platform;
  platform.gpu.copy_bandwidth = model.bandwidth;
  platform.overheads.copy = model.overhead;
  const std::string entry = platform_entry(
      platform, fmt::format("Measured with `tactus measure copy` on {}: {} a size and direction; rule: {}.",
                            found.name, plural(question.samples, "sample"), rule.text()));
  output.finish(entry);
  ordered_json json{{"device", found.name}, {"rule", rule.text()}, {"sizes", ordered_json::array()}};
  for (const measure::CopyPoint& point : points) {
    json["sizes"].push_back({{"bytes", point.bytes},
                             {"to_device", measure::to_json(point.to_device)},
                             {"from_device", measure::to_json(point.from_device)}});
  }
  json["copy_bandwidth"] = model.bandwidth;
  json["copy_ns"] = model.overhead.count();
  json["entry"] = entry;
  show(options, json.dump(), copies_table(points, model) + "\n" + entry);
  return answer_yes;
}

constexpr std::string_view help = R"(
Copies between locked memory and the GPU, from the call until its end is known. The entry has a bandwidth and an
overhead such that bytes / bandwidth + overhead covers every time with its margin, in both directions.

Examples:
  tactus measure copy
  tactus measure copy --sizes 4KiB,1MiB,8MiB --samples 2000 -o copies.yaml

Exit status: 0 done, 2 bad input or no CUDA in this build, 3 the device failed or is not there, 130 interrupted.)";

}  // namespace

void add_measure_copy(Verb measure) {
  const Verb verb = measure.add_verb("copy", "Copies against their size");
  const auto options = std::make_shared<CopyOptions>();
  verb.add_option("--sizes", options->sizes, "With units, separated by commas (default 4B to 64MiB)")
      .delimiter(',');
  add_measure_options(verb, *options, "Of each size and direction (default 500)");
  verb.footer(help);
  verb.runs([options] { return run(*options); });
}

}  // namespace tactus::cli
