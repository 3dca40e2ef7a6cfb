// The cost of a simulation, and how it grows with jobs, blocks, waves, kernels, SMs and tasks.
//
//   build/release/bench/tactus_bench
//
// The relevant rates: "jobs" and "blocks" per second. "flat" cases keep the number of relevant events
// constant, so their time must not depend on the parameter.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tactus/analysis/block_rta.hpp"
#include "tactus/model/presets.hpp"
#include "tactus/sim/simulate.hpp"
#include "tactus/trace/statistics.hpp"

namespace tactus {
namespace {

Task kernel_task(std::int64_t blocks, Duration block_time, std::int64_t threads) {
  Task task;
  task.name = "kernel";
  task.arrival = Arrival::once;
  KernelSegment kernel;
  kernel.grid = {blocks, 1, 1};
  kernel.block = threads;
  kernel.block_time = Interval::exactly(block_time);
  task.work.nodes.push_back({"", kernel});
  return task;
}

Task periodic(Task task, Duration period) {
  task.arrival = Arrival::periodic;
  task.period = period;
  task.deadline = period;
  return task;
}

System on(const char* platform) {
  System system;
  system.name = "bench";
  system.platform = *find_preset(platform);
  return system;
}

/// With statistics and without a trace, as in `tactus sim`.
sim::Outcome run(const System& system, std::optional<Duration> horizon) {
  trace::Statistics statistics{system.tasks.size()};
  trace::Observer* observers[] = {&statistics};
  sim::SimulationOptions options;
  options.horizon = horizon;
  const sim::Outcome outcome = sim::simulate(system, options, observers);
  benchmark::DoNotOptimize(statistics.misses());
  return outcome;
}

void count_jobs(benchmark::State& state, std::uint64_t jobs) {
  state.counters["jobs"] = benchmark::Counter(static_cast<double>(jobs), benchmark::Counter::kIsRate);
}

/// Ten periodic one-block kernels with periods that share no factor.
System ten_tasks(const char* platform) {
  System system = on(platform);
  for (std::int64_t i = 0; i < 10; ++i) {
    system.tasks.push_back(
        periodic(kernel_task(1, nanoseconds(1000 + 137 * i), 256), nanoseconds(10007 + 1009 * i)));
  }
  return system;
}

void jobs_of_ten_tasks(benchmark::State& state, const char* platform) {
  const System system = ten_tasks(platform);
  std::uint64_t jobs = 0;
  for (auto _ : state) jobs += run(system, nanoseconds(1'000'000'000)).completed;
  count_jobs(state, jobs);
}
BENCHMARK_CAPTURE(jobs_of_ten_tasks, jetson_tx2, "jetson-tx2")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(jobs_of_ten_tasks, h200, "h200")->Unit(benchmark::kMillisecond);

enum class Work : std::uint8_t { exclusive, kernel };

/// Ten periodic tasks whose jobs occupy the whole GPU: one resource, utilisation 0.75.
System one_resource(const char* platform, const char* strategy, Order order, Work work) {
  System system = on(platform);
  system.policy.strategy = strategy_named(strategy);
  system.policy.order = order;
  for (std::int64_t i = 0; i < 10; ++i) {
    const Duration time = nanoseconds(750 + 75 * i);
    Task task = kernel_task(2 * system.platform.gpu.sms, time, 1024);
    if (work == Work::exclusive) task.work.nodes.front().segment = ExclusiveSegment{Interval::exactly(time)};
    system.tasks.push_back(periodic(task, nanoseconds(10007 + 1009 * i)));
  }
  return system;
}

void jobs_on_one_resource(benchmark::State& state, const char* platform, const char* strategy, Order order,
                          Work work) {
  const System system = one_resource(platform, strategy, order, work);
  std::uint64_t jobs = 0;
  for (auto _ : state) jobs += run(system, nanoseconds(1'000'000'000)).completed;
  count_jobs(state, jobs);
}
BENCHMARK_CAPTURE(jobs_on_one_resource, edf, "jetson-tx2", "single-stream", Order::edf, Work::exclusive)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(jobs_on_one_resource, fp, "jetson-tx2", "single-stream", Order::fp, Work::exclusive)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(jobs_on_one_resource, fifo, "jetson-tx2", "as-submitted", Order::edf, Work::exclusive)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(jobs_on_one_resource, edf_kernels, "jetson-tx2", "single-stream", Order::edf, Work::kernel)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(jobs_on_one_resource, edf_h200, "h200", "single-stream", Order::edf, Work::exclusive)
    ->Unit(benchmark::kMillisecond);

/// One kernel, increasing number of blocks: flat.
void blocks_of_one_kernel(benchmark::State& state) {
  System system = on("h200");
  system.tasks.push_back(kernel_task(state.range(0), nanoseconds(1000), 256));
  for (auto _ : state) run(system, std::nullopt);
  state.counters["blocks"] =
      benchmark::Counter(static_cast<double>(state.range(0)), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(blocks_of_one_kernel)
    ->RangeMultiplier(100)
    ->Range(100'000, 1'000'000'000'000)
    ->Unit(benchmark::kMicrosecond);

/// Several kernels whose blocks end at different instants, increasing number of waves: flat.
void waves_of_mixed_kernels(benchmark::State& state) {
  System system = on("jetson-tx2");
  system.tasks.push_back(kernel_task(3, nanoseconds(700 * state.range(0)), 256));
  system.tasks.push_back(kernel_task(13 * state.range(0), nanoseconds(90), 128));
  system.tasks.push_back(kernel_task(16 * state.range(0), nanoseconds(110), 256));
  system.tasks.push_back(kernel_task(5 * state.range(0), nanoseconds(70), 512));
  for (auto _ : state) run(system, std::nullopt);
}
BENCHMARK(waves_of_mixed_kernels)
    ->RangeMultiplier(100)
    ->Range(100, 100'000'000)
    ->Unit(benchmark::kMicrosecond);

/// An increasing number of kernels, released one after the other.
void kernels(benchmark::State& state) {
  System system = on("h200");
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    Task task = kernel_task(1 + i % 300, nanoseconds(1000 + 7 * (i % 100)), 32 * (1 + i % 8));
    task.offset = nanoseconds(100 * i);
    system.tasks.push_back(task);
  }
  for (auto _ : state) run(system, std::nullopt);
  state.SetComplexityN(state.range(0));
  count_jobs(state, static_cast<std::uint64_t>(state.iterations() * state.range(0)));
}
BENCHMARK(kernels)->RangeMultiplier(10)->Range(10, 100'000)->Unit(benchmark::kMicrosecond)->Complexity();

/// An increasing number of SMs, and kernels that fill them.
void sms(benchmark::State& state) {
  System system = on("h200");
  system.platform.gpu.sms = static_cast<std::int32_t>(state.range(0));
  for (std::int64_t i = 0; i < 100; ++i) {
    Task task = kernel_task(5 * state.range(0) + i, nanoseconds(1000 + 7 * i), 512);
    task.offset = nanoseconds(100 * i);
    system.tasks.push_back(task);
  }
  for (auto _ : state) run(system, std::nullopt);
  state.SetComplexityN(state.range(0));
}
BENCHMARK(sms)->RangeMultiplier(4)->Range(1, 1024)->Unit(benchmark::kMicrosecond)->Complexity();

/// An increasing number of periodic tasks, with the same number of jobs per second of simulated time.
void tasks(benchmark::State& state) {
  System system = on("h200");
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    system.tasks.push_back(
        periodic(kernel_task(1, nanoseconds(1000), 256), nanoseconds(1000 * state.range(0) + i)));
  }
  std::uint64_t jobs = 0;
  for (auto _ : state) jobs += run(system, nanoseconds(100'000'000)).completed;
  count_jobs(state, jobs);
}
BENCHMARK(tasks)->RangeMultiplier(10)->Range(1, 10'000)->Unit(benchmark::kMillisecond);

/// block-rta with an increasing number of blocks: flat.
void block_rta_blocks(benchmark::State& state) {
  std::vector<analysis::EqualBlockKernel> input;
  for (std::int64_t i = 0; i < 20; ++i) {
    input.push_back({time_at(nanoseconds(10 * i)), nanoseconds(100 + 7 * i), state.range(0) + i});
  }
  for (auto _ : state) benchmark::DoNotOptimize(analysis::equal_block_completions(input, 528));
}
BENCHMARK(block_rta_blocks)
    ->RangeMultiplier(1000)
    ->Range(1'000, 1'000'000'000'000)
    ->Unit(benchmark::kMicrosecond);

void block_rta_kernels(benchmark::State& state) {
  std::vector<analysis::EqualBlockKernel> input;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    input.push_back({time_at(nanoseconds(10 * i)), nanoseconds(100 + 7 * (i % 100)), 1 + i % 1000});
  }
  for (auto _ : state) benchmark::DoNotOptimize(analysis::equal_block_completions(input, 528));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(block_rta_kernels)
    ->RangeMultiplier(10)
    ->Range(10, 100'000)
    ->Unit(benchmark::kMicrosecond)
    ->Complexity();

}  // namespace
}  // namespace tactus
