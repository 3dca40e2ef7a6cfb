// The time to read a large system file.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

#include "tactus/io/system_file.hpp"

namespace tactus {
namespace {

std::string file_of(std::int64_t tasks) {
  std::string text = "tactus: 1\nplatform: h200\ntasks:\n";
  for (std::int64_t i = 0; i < tasks; ++i) {
    text += "  - name: task-" + std::to_string(i) +
            "\n    period: 10ms\n    deadline: 8ms\n    kernel: {grid: 64, block: 256, block_time: 12us}\n";
  }
  return text;
}

void read_tasks(benchmark::State& state) {
  const std::string text = file_of(state.range(0));
  for (auto _ : state) {
    const ReadResult result = read_system(text, "bench.yaml");
    if (!result.system) state.SkipWithError("the file was refused");
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(read_tasks)->RangeMultiplier(10)->Range(10, 100'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tactus
