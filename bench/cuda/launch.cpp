// Does work that takes long to enqueue delay others? An urgent task (`control`, 1 kHz, 30 us on 4 SMs of its
// own) beside one whose jobs are many small kernels (`network`, 30 Hz, on 64 SMs), for three ways to get
// these to the GPU:
//   engine     the engine's thread calls the function that enqueues them
//   captured   the function is captured before the run; a job is one launch of a graph (bind_captured)
//   launcher   a thread of the task calls the function (`launcher: true`)
// And `dispatch`: what Tactus adds to one launch of a captured graph of 400 kernels, compared with CUDA
// alone.
//
// The bound is the one that is proven before the run, with the overheads of --overheads. Where these say what
// the engine needs (`engine: {event: 2us, submit: 12us}`), the tasks declare `enqueue`, too.
#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "harness.hpp"
#include "kernels.hpp"
#include "tactus/base/error.hpp"
#include "tactus/device/cuda/captured_work.hpp"
#include "tactus/device/cuda/completion.hpp"
#include "tactus/device/cuda/error.hpp"
#include "tactus/device/cuda/job.hpp"
#include "tactus/device/cuda/partition.hpp"
#include "tactus/device/cuda/stream.hpp"
#include "tactus/runtime/engine_thread.hpp"
#include "tactus_run.hpp"

namespace tactus::bench {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

const std::vector<std::string> parts{"engine", "captured", "launcher", "dispatch"};
constexpr std::array kernel_counts{1, 20, 100, 400, 1500};
constexpr int network_sms = 64;
constexpr Duration control_period = milliseconds{1};
constexpr std::size_t skipped = 20;

/// Those of docs/results/h200/kernels-overheads.json.
const std::string usual_overheads = "release: 532us, launch: 45us, completion: 152us";

std::string overheads_of(const Results& results) {
  return results.arguments().overheads.value_or(usual_overheads);
}

void enqueue_kernels(int count, cudaStream_t stream) {
  for (int i = 0; i < count; ++i) launch_empty(stream);
}

/// What the network declares that a submission takes, generously.
Duration enqueue_time(const std::string& way, int kernels) {
  const std::int64_t calls = microseconds{40}.count() + 8 * kernels;
  const std::int64_t launch = microseconds{40}.count() + kernels / 20;
  return microseconds{way == "captured" ? launch : calls};
}

System trial_system(const std::string& way, int kernels, const Results& results) {
  const std::string overheads = overheads_of(results);
  const bool has_engine_time = overheads.find("engine") != std::string::npos;
  const Duration network_time = microseconds{100} + kernels * microseconds{6};
  std::string keys;
  if (has_engine_time) keys += ", enqueue: " + text_of(enqueue_time(way, kernels));
  if (way == "launcher") keys += ", launcher: true";
  return system_of(
      "tactus: 1\nplatform: {base: h200, gpu: {sms: " + std::to_string(sm_count()) + "}, overheads: {" +
      overheads + "}}\n" + "policy: {strategy: federated, virtual_sms: {control: 8, network: " +
      std::to_string(2 * network_sms) + "}}\ntasks:\n  - {name: control, period: " + text_of(control_period) +
      ", kernel: {grid: 8, block: 1024, block_time: 30us}}\n" +
      "  - {name: network, period: 33333us, kernel: {grid: " + std::to_string(2 * network_sms) +
      ", block: 1024, block_time: " + text_of(network_time) + "}" + keys + "}\n");
}

void bind_network(Runtime& runtime, const std::string& way, int kernels) {
  const auto enqueue = [kernels](cuda::Job& job) { enqueue_kernels(kernels, job.stream()); };
  if (way == "captured") {
    runtime.bind_captured("network", enqueue);
  } else {
    runtime.bind("network", enqueue);
  }
}

nlohmann::ordered_json times_json(const device::TimesSeen& times) {
  return {{"count", times.count},
          {"mean", microseconds_of(times.mean())},
          {"max", microseconds_of(times.longest)}};
}

nlohmann::ordered_json first_broken_json(const RunReport& report) {
  const std::optional<device::BrokenAssumption>& first = report.outcome.assumptions.first;
  if (!first) return nullptr;
  return to_text(report.system, *first);
}

void measure_trial(Results& results, const std::string& way, int kernels) {
  TactusOptions options;
  options.core = results.arguments().core;
  options.bind = [&](Runtime& runtime) { bind_network(runtime, way, kernels); };
  const Duration length = results.arguments().quick ? milliseconds{500} : milliseconds{4000};
  const TactusRun run = run_tactus(trial_system(way, kernels, results), length, std::move(options));
  const RunReport& report = run.report;
  const std::vector<std::int64_t> responses = responses_of(run.jobs[0], skipped);
  const std::vector<bool> disturbed = were_disturbed(run.jobs[0], skipped, run.absences);
  const std::optional<Duration>& bound = report.bounds[0];
  std::int64_t above = 0;
  std::int64_t above_undisturbed = 0;
  std::string table = "response_ns,disturbed\n";
  for (std::size_t i = 0; i < responses.size(); ++i) {
    table += std::to_string(responses[i]) + (disturbed[i] ? ",1\n" : ",0\n");
    if (!bound || responses[i] <= in_ns(*bound)) continue;
    ++above;
    if (!disturbed[i]) ++above_undisturbed;
  }
  const std::string what = way + " " + std::to_string(kernels);
  nlohmann::ordered_json line{{"way", way}, {"kernels", kernels}};
  line["control_us"] = summary_of(responses);
  line["misses"] = report.outcome.tasks[0].misses;
  line["bound_us"] = bound ? nlohmann::ordered_json(microseconds_of(*bound)) : nullptr;
  line["above_bound"] = above;
  line["above_bound_undisturbed"] = above_undisturbed;
  line["network_us"] = summary_of(responses_of(run.jobs[1], 1));
  line["network_misses"] = report.outcome.tasks[1].misses;
  line["network_calls_us"] = times_json(report.outcome.assumptions.segments[1][0].calls);
  line["absences"] = {{"times", report.outcome.absences.times},
                      {"longest_us", microseconds_of(report.outcome.absences.longest)}};
  line["first_broken"] = first_broken_json(report);
  line["overheads"] = overheads_of(results);
  line["not_enforced"] = report.outcome.not_enforced;
  results.print(line);
  results.keep_text("control " + what, "csv", table);
}

// One launch of a captured graph, by CUDA alone and as a job.

constexpr int dispatched_kernels = 400;
constexpr Duration dispatch_period = milliseconds{2};

/// In turns, because the graph itself does not take the same time in every minute.
constexpr int dispatch_rounds = 8;

std::int64_t dispatched_jobs(const Results& results) { return results.arguments().quick ? 50 : 500; }

std::vector<std::int64_t> run_bare(const Results& results) {
  const OnCore on_core{results.arguments().core};
  const std::array sizes{network_sms};
  const cuda::Partitions partitions{0, sizes};
  const cuda::Stream stream = partitions[0].make_stream();
  cuda::check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), "cannot capture");
  enqueue_kernels(dispatched_kernels, stream.get());
  cudaGraph_t captured = nullptr;
  cuda::check(cudaStreamEndCapture(stream.get(), &captured), "cannot capture");
  const cuda::Graph graph{captured};
  cudaGraphExec_t made = nullptr;
  cuda::check(cudaGraphInstantiate(&made, captured, 0), "cannot instantiate");
  const cuda::GraphExec exec{made};
  cuda::check(cudaGraphUpload(made, stream.get()), "cannot upload");
  stream.synchronize();
  const cuda::CompletionWords words{1};
  std::vector<std::int64_t> samples;
  std::int64_t due = now_ns();
  for (std::int64_t i = -20; i < dispatched_jobs(results); ++i) {
    due += in_ns(dispatch_period);
    while (now_ns() < due) {
    }
    const auto value = static_cast<unsigned>(i + 21);
    cuda::check(cudaGraphLaunch(made, stream.get()), "cannot launch");
    words.signal(stream.get(), 0, value);
    while (words.value(0) != value) {
    }
    if (i >= 0) samples.push_back(now_ns() - due);
  }
  return samples;
}

std::vector<std::int64_t> run_as_jobs(const Results& results) {
  const System system =
      system_of("tactus: 1\nplatform: " + platform_text() +
                "\npolicy: {strategy: federated, virtual_sms: {network: " + std::to_string(2 * network_sms) +
                "}}\ntasks:\n  - {name: network, period: " + text_of(dispatch_period) +
                ", kernel: {grid: 128, block: 1024, block_time: 1ms}}\n");
  TactusOptions options;
  options.core = results.arguments().core;
  options.bind = [](Runtime& runtime) { bind_network(runtime, "captured", dispatched_kernels); };
  const Duration length = (dispatched_jobs(results) + static_cast<std::int64_t>(skipped)) * dispatch_period;
  const TactusRun run = run_tactus(system, length, std::move(options));
  return responses_of(run.jobs[0], skipped);
}

void measure_dispatch(Results& results) {
  std::vector<std::int64_t> bare;
  std::vector<std::int64_t> as_jobs;
  nlohmann::ordered_json added = nlohmann::ordered_json::array();
  const auto median = [](const std::vector<std::int64_t>& samples) {
    return summary_of(samples)["median"].get<double>();
  };
  for (int round = 0; round < dispatch_rounds; ++round) {
    const std::vector<std::int64_t> alone = run_bare(results);
    const std::vector<std::int64_t> tasks = run_as_jobs(results);
    added.push_back(median(tasks) - median(alone));
    bare.insert(bare.end(), alone.begin(), alone.end());
    as_jobs.insert(as_jobs.end(), tasks.begin(), tasks.end());
  }
  results.print({{"way", "dispatch"},
                 {"kernels", dispatched_kernels},
                 {"bare_us", summary_of(bare)},
                 {"as_jobs_us", summary_of(as_jobs)},
                 {"added_to_median_us", added}});
  results.keep("dispatch bare", bare);
  results.keep("dispatch tactus", as_jobs);
}

void experiment(Results& results) {
  runtime::EngineThread thread{runtime::EngineNeeds{}};
  static_cast<void>(thread.take());
  for (const std::string way : {"engine", "captured", "launcher"}) {
    if (!results.arguments().wants(way)) continue;
    for (const int kernels : kernel_counts) {
      results.attempt({{"way", way}, {"kernels", kernels}}, [&] { measure_trial(results, way, kernels); });
    }
  }
  if (results.arguments().wants("dispatch")) {
    results.attempt({{"way", "dispatch"}}, [&] { measure_dispatch(results); });
  }
}

}  // namespace
}  // namespace tactus::bench

int main(int argc, char** argv) {
  return tactus::bench::run_experiment("launch", tactus::bench::parts, argc, argv, tactus::bench::experiment);
}
