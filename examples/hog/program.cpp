#include "program.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <tactus/system.hpp>
#include <utility>
#include <vector>

#include "check.hpp"
#include "measure.hpp"
#include "report.hpp"

namespace hog {

namespace {

constexpr const char* about = R"(Pedestrian detection by histograms of oriented gradients on several cameras.

A frame is drawn (walking figures, seen by a camera) or read from an image, copied to the accelerator, resized to
every scale level, turned into gradients, cell histograms and normalised blocks, classified window by window, and
the scores are copied back and collected to detections. In the fine grain each of these steps is a node of a graph,
about 70 for a camera with 13 levels.)";

constexpr const char* examples = R"(From nothing to a proven run, with PROGRAM as this program:
  tactus measure overheads --device cuda -o overheads.yaml     (--device host for the program without CUDA)
  PROGRAM check                                                stages against a reference, and against the CPU
  PROGRAM measure --overheads overheads.yaml -o fine.yaml
  tactus check fine.yaml
  tactus transform fine.yaml --to coarse -o coarse.yaml
  tactus transform fine.yaml --to monolithic -o monolithic.yaml
  PROGRAM run fine.yaml --seconds 60 --json fine.json
  PROGRAM run coarse.yaml --seconds 60 --json coarse.json
  PROGRAM run monolithic.yaml --seconds 60 --json monolithic.json
  PROGRAM run fine.yaml --order fl --seconds 60 --json fine-fl.json
  PROGRAM run fine.yaml --set platform.cpus='{clusters: [7, 8]}' --set policy.clusters=per-cluster \
    --set tasks.camera4.core=7 --set tasks.camera5.core=7 --set tasks.camera6.core=7
`measure --grain coarse` and `--grain monolithic` measure such nodes as a whole instead.
A run needs the --size (and for a monolithic file the --levels) with which its file was measured.

Exit status: 0 figures found and no proven bound exceeded, 1 otherwise, 2 bad input, 3 the run failed.)";

void write_file(const std::string& name, const std::string& text) {
  std::ofstream out{name, std::ios::binary};
  out << text << std::flush;
  if (!out) throw tactus::FailureError{"cannot write " + name};
}

Vision vision_for(Accelerator& accelerator, const Settings& settings) {
  Vision vision = make_vision(accelerator, settings.width, settings.height, settings.levels);
  for (const std::string& file : settings.images) {
    Image image = read_image(file);
    if (image.width != settings.width || image.height != settings.height) {
      throw tactus::InputError{fmt::format("{} has {}x{} pixels", file, image.width, image.height),
                               fmt::format("give --size {}x{}", image.width, image.height)};
    }
    vision.images.push_back(std::move(image));
  }
  return vision;
}

int measure(Accelerator& accelerator, const Settings& settings) {
  const Vision vision = vision_for(accelerator, settings);
  const tactus::System system = measure_system(accelerator, vision, settings);
  const std::string text = fmt::format(
      "# {} cameras, {}x{}, {} levels, on the {} accelerator. Times: {} frames alone and as many beside {} "
      "other\n"
      "# cameras; best case: the least, worst case: {}.\n{}",
      settings.cameras, settings.width, settings.height, settings.levels, accelerator.name(),
      settings.samples, settings.cameras - 1, settings.margin.text(), tactus::to_system_file(system));
  if (settings.output.empty()) {
    fmt::print("{}", text);
  } else {
    write_file(settings.output, text);
    fmt::print("written: {}\n", settings.output);
  }
  return 0;
}

tactus::System load(const Settings& settings) {
  std::vector<tactus::Override> changes;
  for (const std::string& change : settings.changes) {
    const std::size_t end = change.find('=');
    if (end == std::string::npos) throw tactus::InputError{"--set " + change, "write --set KEY=VALUE"};
    changes.push_back({"--set " + change, change.substr(0, end), change.substr(end + 1)});
  }
  if (settings.order_given) {
    changes.push_back(
        {"--order", "policy.order", settings.order == tactus::Order::fair_lateness ? "fl" : "edf"});
  }
  return tactus::load(settings.file, tactus::Completeness::complete, changes);
}

int run(Accelerator& accelerator, Settings settings) {
  std::optional<tactus::System> system;
  if (!settings.file.empty()) {
    system = load(settings);
    if (const int levels = levels_of(system->tasks.front().work.nodes); levels > 0) settings.levels = levels;
  }
  const Vision vision = vision_for(accelerator, settings);
  if (!system) system = measure_system(accelerator, vision, settings);
  const RunResult result = run_cameras(accelerator, vision, std::move(*system), settings);
  fmt::print("{}", to_text(result));
  if (!settings.json.empty()) write_file(settings.json, to_json(result, settings, accelerator.name()));
  const tactus::RunReport& report = result.report;
  if (!report.outcome.failure.empty()) return 3;
  const bool within = report.exceeded_bounds().empty() || !report.counts_overheads();
  return finds_figures(result) && within ? 0 : 1;
}

int check(Accelerator& accelerator, const Settings& settings) {
  const CheckResult result = check_stages(accelerator, vision_for(accelerator, settings));
  fmt::print("{}", result.text);
  return result.holds ? 0 : 1;
}

void read_size(const std::string& text, Settings& settings) {
  int end = 0;
  if (std::sscanf(text.c_str(), "%5dx%5d%n", &settings.width, &settings.height, &end) != 2 ||
      static_cast<std::size_t>(end) != text.size()) {
    throw CLI::ValidationError{"--size", "write WIDTHxHEIGHT, for instance 1280x720"};
  }
}

void add_frame_options(CLI::App& verb, Settings& settings) {
  verb.add_option_function<std::string>(
      "--size", [&](const std::string& text) { read_size(text, settings); },
      "Pixels of a frame, WIDTHxHEIGHT (default 1280x720)");
  verb.add_option("--levels", settings.levels,
                  "Scale levels, each 1.1 times as coarse as the last (default 13)")
      ->check(CLI::Range(1, 40));
  verb.add_option("--images", settings.images,
                  "Frames from binary PGM or PPM files, in turn, instead of drawn ones");
}

void add_system_options(CLI::App& verb, Settings& settings) {
  static const std::map<std::string, Grain> grains{
      {"monolithic", Grain::monolithic}, {"coarse", Grain::coarse}, {"fine", Grain::fine}};
  verb.add_option("--cameras", settings.cameras, "Number of cameras (default 6)")->check(CLI::Range(1, 64));
  verb.add_option_function<std::string>(
          "--grain", [&](const std::string& name) { settings.grain = grains.at(name); },
          "monolithic, coarse or fine (default fine)")
      ->check(CLI::IsMember({"monolithic", "coarse", "fine"}));
  verb.add_option("--period", settings.period_ms, "Milliseconds between frames (default 33)")
      ->check(CLI::Range(1, 60000));
  verb.add_option("--deadline", settings.deadline_ms,
                  "Milliseconds from a frame to its detections (default 100)")
      ->check(CLI::Range(1, 60000));
  verb.add_option("--cpus", settings.cpus, "CPU cores of the system (default: all of the machine but one)")
      ->check(CLI::Range(1, 1024));
  verb.add_option("--samples", settings.samples, "Frames to measure, alone and under load (default 100)")
      ->check(CLI::Range(1, 100000));
  verb.add_option_function<std::string>(
      "--margin",
      [&](const std::string& text) { settings.margin = tactus::measure::parse_margin_rule(text); },
      "Worst case from samples: max, p99.9, max*F or p99.9*F (default max*1.2)");
  verb.add_option("--overheads", settings.overheads,
                  "File with the platform: what `tactus measure overheads -o FILE` wrote");
}

void add_order(CLI::App& verb, Settings& settings) {
  verb.add_option_function<std::string>(
          "--order",
          [&](const std::string& name) {
            settings.order = name == "fl" ? tactus::Order::fair_lateness : tactus::Order::edf;
            settings.order_given = true;
          },
          "edf, or fl: fair lateness (default edf, or that of the file)")
      ->check(CLI::IsMember({"edf", "fl"}));
}

int call(int argc, char** argv, std::unique_ptr<Accelerator> (*make_accelerator)()) {
  Settings settings;
  CLI::App app{about};
  app.footer(examples);
  app.require_subcommand(1);
  CLI::App& measuring = *app.add_subcommand("measure", "Measure every node, and write a system file");
  CLI::App& running = *app.add_subcommand("run", "Run a system file, or what a short measurement finds");
  CLI::App& checking =
      *app.add_subcommand("check", "Compare the stages with a plain reference and with the CPU");
  for (CLI::App* verb : {&measuring, &running, &checking}) add_frame_options(*verb, settings);
  for (CLI::App* verb : {&measuring, &running}) {
    add_system_options(*verb, settings);
    add_order(*verb, settings);
  }
  measuring.add_option("-o,--output", settings.output, "System file to write (default: standard output)");
  running.add_option("FILE", settings.file, "System file; without it nodes are measured first");
  running.add_option("--seconds", settings.seconds, "How long to run (default 10)")
      ->check(CLI::Range(1, 86400));
  running
      .add_option("--buffers", settings.buffers, "Frames of a camera that may be on their way (default 16)")
      ->check(CLI::Range(1, 1024));
  running
      .add_option("--set", settings.changes,
                  "Another value for a key of the file, KEY=VALUE, as `tactus check` takes it")
      ->allow_extra_args(false);
  running.add_option("--json", settings.json, "File for all response times");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const std::unique_ptr<Accelerator> accelerator = make_accelerator();
  if (measuring.parsed()) return measure(*accelerator, settings);
  return running.parsed() ? run(*accelerator, settings) : check(*accelerator, settings);
}

}  // namespace

int run_program(int argc, char** argv, std::unique_ptr<Accelerator> (*make_accelerator)()) {
  try {
    return call(argc, argv, make_accelerator);
  } catch (const tactus::InputError& error) {
    for (const tactus::Problem& problem : error.problems()) {
      std::string place;
      if (!problem.file.empty()) place = problem.file + ": ";
      if (problem.line > 0) place = fmt::format("{}:{}:{}: ", problem.file, problem.line, problem.column);
      fmt::print(stderr, "{}error: {}\n", place, problem.message);
      if (!problem.hint.empty()) fmt::print(stderr, "    {}\n", problem.hint);
    }
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 3;
  }
}

}  // namespace hog
