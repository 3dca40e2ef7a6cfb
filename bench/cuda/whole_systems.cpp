// Figures 11 and 12 of RTGPU: of random systems of CPU work, copies and GPU work, how many an analysis
// accepts, and how many keep all deadlines when they run. The tasks are those of the paper's Table 1 with all
// times divided by ten. Figure 11: 5 tasks on 5, 8 and 10 SMs. Figure 12: 12 tasks on 3, 5 and 8 SMs with
// four virtual SMs each, of which a task may own a single one. Once launched for every GPU segment, and once
// with work that stays on its SMs and is rung.
//
// A system that no analysis accepts runs with SMs that are divided by need: one each, and the next one for
// the task whose GPU work takes most of its deadline.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness.hpp"
#include "tactus/analysis/check.hpp"
#include "tactus/analysis/registry.hpp"
#include "tactus/base/error.hpp"
#include "tactus/generate/generator.hpp"
#include "tactus/model/dispatch.hpp"
#include "tactus_run.hpp"

namespace tactus::bench {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

const std::vector<std::string> figures{"figure-11", "figure-12"};
constexpr Duration length = milliseconds{500};
constexpr std::int64_t seed = 2026;

struct Figure {
  std::int64_t tasks;
  std::array<std::int32_t, 3> sms;
  std::int32_t parts_per_sm;          // that tasks may own
  std::int32_t virtual_sms;           // of each of these
  std::array<std::int64_t, 6> loads;  // in tenths
};

Figure figure_named(const std::string& name) {
  if (name == "figure-11") return {5, {5, 8, 10}, 1, 2, {8, 10, 12, 16, 20, 24}};
  return {12, {3, 5, 8}, 4, 1, {4, 8, 10, 12, 16, 20}};
}

System random_system(const Figure& figure, std::int32_t sms, std::int64_t load, std::int64_t number) {
  const generate::Generator& generator = *generate::find_generator("rtgpu");
  generate::Parameters parameters{generator.parameters};
  const auto range = [](Duration least, Duration most) { return std::vector{least, most}; };
  parameters.set("tasks", figure.tasks);
  parameters.set("utilisation", Rational{load, 10});
  parameters.set("cpu", range(microseconds{100}, milliseconds{2}));
  parameters.set("copy", range(microseconds{100}, microseconds{500}));
  parameters.set("gpu", range(microseconds{100}, milliseconds{2}));
  parameters.set("gpu_overhead", Duration{microseconds{5}});
  parameters.set("sms", std::int64_t{sms} * figure.parts_per_sm);
  parameters.set("virtual_sms_per_sm", std::int64_t{figure.virtual_sms});
  System system = generator.make(parameters, static_cast<std::uint64_t>(seed + 1000 * load + number));
  Gpu& gpu = system.platform.gpu;
  gpu.parts_per_sm = figure.parts_per_sm;
  gpu.threads_per_sm /= figure.parts_per_sm;
  gpu.blocks_per_sm /= figure.parts_per_sm;
  gpu.registers_per_sm /= figure.parts_per_sm;
  gpu.shared_memory_per_sm /= figure.parts_per_sm;
  return system;
}

/// The share of its deadline that the GPU work of a task takes.
double gpu_share(const System& system, TaskIndex task) {
  Duration sum{};
  for (const Node& node : system.tasks[task].work.nodes) {
    const auto* gpu = std::get_if<GpuSegment>(&node.segment);
    if (gpu != nullptr) sum += gpu_time(*gpu, *system.virtual_sms[task]).worst;
  }
  return static_cast<double>(in_ns(sum)) / static_cast<double>(in_ns(*system.tasks[task].deadline));
}

void divide_by_need(System& system) {
  const Gpu& gpu = system.platform.gpu;
  system.virtual_sms.assign(system.tasks.size(), gpu.virtual_sms_per_sm);
  for (auto left = gpu.sms - static_cast<std::int64_t>(system.tasks.size()); left > 0; --left) {
    TaskIndex neediest = 0;
    for (TaskIndex task = 1; task < system.tasks.size(); ++task) {
      if (gpu_share(system, task) > gpu_share(system, neediest)) neediest = task;
    }
    *system.virtual_sms[neediest] += gpu.virtual_sms_per_sm;
  }
}

/// Whether it is accepted; the SMs are divided in any case.
bool is_accepted(System& system) {
  const analysis::Result result = analysis::run(*analysis::find("rtgpu-tight"), system);
  const bool accepted = result.verdict == analysis::Verdict::schedulable;
  if (accepted) {
    system.virtual_sms = result.virtual_sms;
  } else {
    divide_by_need(system);
  }
  return accepted;
}

struct Point {
  std::int64_t systems = 0;
  std::int64_t accepted_without_overheads = 0;
  std::int64_t accepted = 0;
  std::int64_t kept = 0;  // all deadlines, when run
  std::uint64_t jobs = 0;
  nlohmann::ordered_json broken = nlohmann::ordered_json::array();  // accepted, and not kept
};

void run_one(System system, bool accepted, std::int64_t number, std::optional<int> core, Point& point) {
  TactusOptions options;
  options.core = core;
  const TactusRun run = run_tactus(system, length, std::move(options));
  const RunReport& report = run.report;
  point.jobs += report.outcome.completed;
  const bool kept = report.misses == 0 && report.outcome.dropped == 0;
  if (kept) ++point.kept;
  if (!accepted || (kept && report.exceeded_bounds().empty())) return;
  nlohmann::ordered_json tasks = nlohmann::ordered_json::array();
  for (const TaskIndex task : report.exceeded_bounds()) {
    tasks.push_back(
        {{"task", system.tasks[task].name},
         {"bound_us", microseconds_of(report.bounds[task].value_or(Duration{}))},
         {"max_us", microseconds_of(report.tasks[task].response.value_or(trace::ResponseTimes{}).max)}});
  }
  point.broken.push_back({{"system", number},
                          {"misses", report.misses},
                          {"above_bounds", tasks},
                          {"absences", report.outcome.absences.times},
                          {"longest_absence_us", microseconds_of(report.outcome.absences.longest)}});
}

void measure(Results& results, const std::string& name, std::int32_t sms, Dispatch dispatch) {
  const Figure figure = figure_named(name);
  const Arguments& arguments = results.arguments();
  const System measured = system_of("tactus: 1\nplatform: " + platform_text(arguments.overheads) +
                                    "\npolicy: {strategy: federated, virtual_sms: {a: 2}}\ntasks:\n  - "
                                    "{name: a, period: 1ms, exclusive: 1us}\n");
  const std::int64_t systems = arguments.quick ? 1 : 8;
  for (const std::int64_t load : figure.loads) {
    Point point;
    for (std::int64_t number = 0; number < systems; ++number) {
      System system = random_system(figure, sms, load, number);
      ++point.systems;
      System ideal = system;
      if (is_accepted(ideal)) ++point.accepted_without_overheads;
      system.platform.overheads = measured.platform.overheads;
      for (Task& task : system.tasks) task.dispatch = dispatch;
      const bool accepted = is_accepted(system);
      if (accepted) ++point.accepted;
      run_one(std::move(system), accepted, number, arguments.core, point);
    }
    results.print({{"figure", name},
                   {"sms", sms},
                   {"dispatch", dispatch == Dispatch::launch ? "launch" : "doorbell"},
                   {"load", static_cast<double>(load) / 10},
                   {"systems", point.systems},
                   {"accepted_without_overheads", point.accepted_without_overheads},
                   {"accepted", point.accepted},
                   {"kept", point.kept},
                   {"jobs", point.jobs},
                   {"broken", point.broken}});
  }
}

void measure_all(Results& results) {
  for (const std::string& name : figures) {
    if (!results.arguments().wants(name)) continue;
    for (const std::int32_t sms : figure_named(name).sms) {
      for (const Dispatch dispatch : {Dispatch::launch, Dispatch::doorbell}) {
        results.attempt({{"figure", name}, {"sms", sms}}, [&] { measure(results, name, sms, dispatch); });
      }
    }
  }
}

}  // namespace

}  // namespace tactus::bench

int main(int argc, char** argv) {
  return tactus::bench::run_experiment("whole-systems", tactus::bench::figures, argc, argv,
                                       tactus::bench::measure_all);
}
