// What Tactus adds to launching an empty kernel and waiting for its end, and where the time goes.
//   bare    CUDA alone, one launch after the other, and at instants like those of Tactus's jobs
//   tactus  the same kernel as the work of a job, for several strategies
#include <array>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "harness.hpp"
#include "kernels.hpp"
#include "tactus/device/cuda/completion.hpp"
#include "tactus/device/cuda/error.hpp"
#include "tactus/device/cuda/job.hpp"
#include "tactus/device/cuda/partition.hpp"
#include "tactus/device/cuda/stream.hpp"
#include "tactus/runtime/engine_thread.hpp"
#include "tactus_run.hpp"
#include "timed_device.hpp"

namespace tactus::bench {

namespace {

constexpr Duration min_separation = std::chrono::microseconds{100};
constexpr std::int64_t skipped = 500;
constexpr int partition_sms = 16;

const std::vector<std::string> parts{"bare", "tactus"};

std::int64_t jobs_of(const Results& results) { return results.arguments().quick ? 1000 : 20'000; }

/// `launch_and_wait` is timed from its call or, with separations, from the instant when it was due.
void measure_bare(Results& results, const std::string& what, bool separated,
                  const std::function<void()>& launch_and_wait) {
  std::mt19937_64 random{1};
  std::uniform_int_distribution<std::int64_t> separation{in_ns(min_separation), 2 * in_ns(min_separation)};
  std::vector<std::int64_t> samples;
  std::int64_t due = now_ns();
  for (std::int64_t i = -skipped; i < jobs_of(results); ++i) {
    if (separated) {
      due += separation(random);
      while (now_ns() < due) {
      }
    } else {
      due = now_ns();
    }
    launch_and_wait();
    if (i >= 0) samples.push_back(now_ns() - due);
  }
  results.print({{"way", "bare"}, {"what", what}, {"until_known_us", summary_of(samples)}});
  results.keep("bare " + what, samples);
}

/// `place` is appended to the name of the measurement.
void measure_bare_in(Results& results, const cuda::Stream& stream, const std::string& place) {
  const cuda::CompletionWords words{1};
  unsigned value = 0;
  const auto synchronise = [&] {
    launch_empty(stream.get());
    cuda::check(cudaStreamSynchronize(stream.get()), "the empty kernel failed");
  };
  const auto watch_word = [&] {
    launch_empty(stream.get());
    words.signal(stream.get(), 0, ++value);
    while (words.value(0) != value) {
    }
  };
  measure_bare(results, "synchronise one after the other" + place, false, synchronise);
  measure_bare(results, "synchronise at instants" + place, true, synchronise);
  measure_bare(results, "word one after the other" + place, false, watch_word);
  measure_bare(results, "word at instants" + place, true, watch_word);
}

void measure_all_bare(Results& results) {
  const OnCore on_core{results.arguments().core};
  measure_bare_in(results, cuda::make_stream(), "");
  // The same size as `federated` uses below.
  const std::array sizes{partition_sms};
  const cuda::Partitions partitions{0, sizes};
  const cuda::Stream stream = partitions[0].make_stream(cuda::stream_priorities().most_urgent);
  measure_bare_in(results, stream, ", in a partition");
}

/// How the time of the engine's thread is spent.
struct Costs {
  std::vector<std::int64_t> release_ns;     // of a step that submits: from the end of the wait to its own end
  std::vector<std::int64_t> submit_ns;      // the device's part of it, including CUDA calls
  std::vector<std::int64_t> completion_ns;  // of a step that handles an end and submits nothing
  std::int64_t busy_ns = 0;                 // of all steps, without waiting
};

void step_all(Runtime& runtime, TimedDevice& device, Costs& costs) {
  for (bool more = true; more;) {
    device.begin_step();
    const std::int64_t begin = now_ns();
    more = runtime.step();
    const TimedDevice::Step& step = device.step();
    const std::int64_t busy = now_ns() - begin - step.waited_ns;
    costs.busy_ns += busy;
    if (step.submissions > 0) {
      costs.release_ns.push_back(busy);
      costs.submit_ns.push_back(step.submitting_ns);
    } else if (step.heard > 0) {
      costs.completion_ns.push_back(busy);
    }
  }
}

void measure_tactus(Results& results, const std::string& what, const std::string& policy, bool bound,
                    const std::string& more) {
  const System system =
      system_of("tactus: 1\nplatform: " + platform_text() + "\npolicy: " + policy +
                "\ntasks:\n  - {name: job, arrival: sporadic, period: " + text_of(min_separation) +
                ", kernel: {grid: 1, block: 32, block_time: 0}" + more + "}\n");
  auto device = std::make_unique<TimedDevice>(make_device());
  TimedDevice& timed = *device;
  Costs costs;
  TactusOptions options;
  options.core = results.arguments().core;
  options.device = std::move(device);
  if (bound) {
    options.bind = [](Runtime& runtime) {
      runtime.bind("job", [](cuda::Job& job) { launch_empty(job.stream()); });
    };
  }
  options.drive = [&](Runtime& runtime) { step_all(runtime, timed, costs); };
  const Duration length = (jobs_of(results) + skipped) * (min_separation * 3 / 2);
  const TactusRun run = run_tactus(system, length, std::move(options));
  const std::vector<std::int64_t> samples = responses_of(run.jobs[0], skipped);
  const auto jobs = static_cast<double>(run.jobs[0].size());
  results.print({{"way", "tactus"},
                 {"what", what},
                 {"until_known_us", summary_of(samples)},
                 {"step_that_submits_us", summary_of(costs.release_ns)},
                 {"of_it_in_submit_us", summary_of(costs.submit_ns)},
                 {"step_that_hears_us", summary_of(costs.completion_ns)},
                 {"engine_busy_per_job_us", microseconds_of(costs.busy_ns) / jobs},
                 {"not_enforced", run.report.outcome.not_enforced}});
  results.keep("tactus " + what, samples);
}

void measure_all_tactus(Results& results) {
  const std::string streams = "order: fp, levels: 2}";
  const auto measure = [&](const std::string& what, const std::string& policy, bool bound,
                           const std::string& more = {}) {
    results.attempt({{"way", "tactus"}, {"what", what}},
                    [&] { measure_tactus(results, what, policy, bound, more); });
  };
  measure("as-submitted", "{strategy: as-submitted}", true);
  measure("single-stream", "{strategy: single-stream}", true);
  measure("multi-stream", "{strategy: multi-stream, " + streams, true);
  measure("multi-stream built-in kernel", "{strategy: multi-stream, " + streams, false);
  measure(
      "sm-cores",
      "{strategy: sm-cores, sm_group: 66, reservations: {period: 10ms, local: {offset: 0, budget: 10ms}}}",
      true, ", sm: 0");
  measure("federated", "{strategy: federated, virtual_sms: {job: " + std::to_string(2 * partition_sms) + "}}",
          true);
}

void experiment(Results& results) {
  runtime::EngineThread thread{runtime::EngineNeeds{}};
  static_cast<void>(thread.take());
  if (results.arguments().wants("bare")) {
    results.attempt({{"way", "bare"}}, [&] { measure_all_bare(results); });
  }
  if (results.arguments().wants("tactus")) measure_all_tactus(results);
}

}  // namespace
}  // namespace tactus::bench

int main(int argc, char** argv) {
  return tactus::bench::run_experiment("dispatch", tactus::bench::parts, argc, argv,
                                       tactus::bench::experiment);
}
