// Large systems: the cost of checking and simulating per task or segment. It should be linear: compare the
// times per item.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <string>

#include "tactus/analysis/check.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/sim/simulate.hpp"

namespace tactus {
namespace {

std::string many_tasks(std::int64_t count, const std::string& policy, bool chains) {
  std::string text =
      "tactus: 1\nname: many\nplatform: {base: h200, cpus: 1000}\npolicy: " + policy + "\ntasks:\n";
  for (std::int64_t i = 0; i < count; ++i) {
    text += "  - {name: t" + std::to_string(i) + ", period: 1s, ";
    text += chains ? "core: " + std::to_string(i % 1000) + ", segments: [{cpu: 1us}, {copy: 1us}]}\n"
                   : "kernel: {grid: 1, block: 32, block_time: 1us}}\n";
  }
  return text;
}

std::string long_chain(std::int64_t segments) {
  std::string text =
      "tactus: 1\nname: chain\nplatform: h200\npolicy: {strategy: federated}\ntasks:\n"
      "  - name: a\n    period: 1s\n    segments:\n";
  for (std::int64_t i = 0; i < segments; ++i)
    text += i % 2 == 0 ? "      - {cpu: 1us}\n" : "      - {copy: 1us}\n";
  return text;
}

System system_of(const std::string& text) { return read_system(text, "size.yaml").system.value(); }

const char* policy(std::int64_t which) {
  constexpr std::array<const char*, 5> all{"{strategy: as-submitted}",
                                           "{strategy: single-stream, order: edf}",
                                           "{strategy: single-stream, order: fp}",
                                           "{strategy: multi-stream, order: edf}", "{strategy: federated}"};
  return all.at(static_cast<std::size_t>(which));
}
constexpr std::int64_t federated = 4;

void check_tasks(benchmark::State& state) {
  const std::int64_t which = state.range(1);
  const System system = system_of(many_tasks(state.range(0), policy(which), which == federated));
  for (auto _ : state) benchmark::DoNotOptimize(analysis::check(system));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(check_tasks)
    ->ArgsProduct({{1'000, 10'000, 100'000}, {0, 1, 2, 3, federated}})
    ->Unit(benchmark::kMillisecond);

void simulate_tasks(benchmark::State& state) {
  const std::int64_t which = state.range(1);
  const System system = system_of(many_tasks(state.range(0), policy(which), which == federated));
  for (auto _ : state) benchmark::DoNotOptimize(sim::simulate(system, {}, {}));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(simulate_tasks)
    ->ArgsProduct({{10'000, 100'000}, {0, 1, 2, 3, federated}})
    ->Unit(benchmark::kMillisecond);

void read_check_and_simulate_a_chain(benchmark::State& state) {
  const std::string text = long_chain(state.range(0));
  for (auto _ : state) {
    const System system = system_of(text);
    benchmark::DoNotOptimize(analysis::check(system));
    benchmark::DoNotOptimize(sim::simulate(system, {}, {}));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(read_check_and_simulate_a_chain)
    ->Arg(1'000)
    ->Arg(4'000)
    ->Arg(16'000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tactus
