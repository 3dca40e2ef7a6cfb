// Graphs: six of 80 nodes, checked and simulated. Items are nodes, or nodes of jobs.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>

#include "tactus/analysis/check.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/sim/simulate.hpp"

namespace tactus {
namespace {

constexpr std::int64_t graphs = 6;
constexpr std::int64_t nodes = 80;

/// Half CPU nodes, a quarter kernels, a quarter copies; each behind one of those shortly before it.
System six_graphs(const std::string& mode) {
  std::string text =
      "tactus: 1\nplatform: {cpus: 8, gpu: {sms: 16, threads_per_sm: 2048, blocks_per_sm: 32, copy_engines: "
      "2}}\npolicy: {strategy: graph" +
      mode + "}\ntasks:\n";
  for (std::int64_t graph = 0; graph < graphs; ++graph) {
    text += "  - name: g" + std::to_string(graph) +
            "\n    period: 33ms\n    deadline: 2s\n    graph:\n      nodes:\n";
    std::string edges;
    for (std::int64_t node = 0; node < nodes; ++node) {
      text += "        n" + std::to_string(node);
      if (node % 4 < 2) {
        text += ": {cpu: [100us, 400us]}\n";
      } else if (node % 4 == 2) {
        text += ": {kernel: {grid: 16, block: 256, block_time: [100us, 300us]}}\n";
      } else {
        text += ": {copy: 50us}\n";
      }
      if (node == 0) continue;
      const std::int64_t before = std::max<std::int64_t>(0, node - 1 - (node * 7 + graph) % 8);
      edges += (edges.empty() ? "[n" : ", [n") + std::to_string(before) + ", n" + std::to_string(node) + "]";
    }
    text += "      edges: [" + edges + "]\n";
  }
  return read_system(text, "graphs.yaml").system.value();
}

void check_graphs(benchmark::State& state, const std::string& mode) {
  const System system = six_graphs(mode);
  for (auto _ : state) benchmark::DoNotOptimize(analysis::check(system));
  state.SetItemsProcessed(state.iterations() * graphs * nodes);
}
BENCHMARK_CAPTURE(check_graphs, parallel, "")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(check_graphs, sequential, ", parallel_jobs: false")->Unit(benchmark::kMillisecond);

void simulate_graphs(benchmark::State& state, const std::string& mode) {
  const System system = six_graphs(mode);
  sim::SimulationOptions options;
  options.horizon = std::chrono::seconds{10};
  std::int64_t jobs = 0;
  for (auto _ : state) jobs = static_cast<std::int64_t>(sim::simulate(system, options, {}).completed);
  state.SetItemsProcessed(state.iterations() * jobs * nodes);
}
BENCHMARK_CAPTURE(simulate_graphs, early, "")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulate_graphs, at_releases, ", early_release: false, parallel_jobs: false")
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tactus
