// What `copy_chunk` is for: a long best-effort copy beside a chain with deadlines.
#include <gtest/gtest.h>

#include <array>
#include <chrono>

#include "support/source_folder.hpp"
#include "tactus/analysis/check.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/sim/simulate.hpp"
#include "tactus/trace/statistics.hpp"

namespace tactus::test {
namespace {

System upload() { return load(in_repository("examples/federated/upload.yaml")); }

trace::TaskStatistics play(const System& system, Execution execution) {
  trace::Statistics statistics{system.tasks.size()};
  const std::array<trace::Observer*, 1> observers{&statistics};
  sim::SimulationOptions options;
  options.horizon = std::chrono::seconds{1};
  options.execution = execution;
  sim::simulate(system, options, observers);
  return statistics.of(0);
}

TEST(CopyChunk, WithoutItALongCopyMakesOthersMiss) {
  System system = upload();
  system.platform.gpu.copy_chunk.reset();
  EXPECT_EQ(analysis::check(system).verdict, analysis::Verdict::unproven);
  EXPECT_GT(play(system, Execution::worst).misses, 100U);
}

TEST(CopyChunk, WithItDeadlinesAreProvenAndKept) {
  const System system = upload();
  const analysis::CheckResult result = analysis::check(system);
  ASSERT_EQ(result.verdict, analysis::Verdict::schedulable);
  const std::optional<Duration> bound = analysis::smallest_bounds(system, result)[0];
  ASSERT_TRUE(bound);
  for (const Execution execution : {Execution::worst, Execution::best, Execution::random}) {
    const trace::TaskStatistics played = play(system, execution);
    EXPECT_EQ(played.completed, 500U);
    EXPECT_EQ(played.misses, 0U);
    EXPECT_LE(played.response->max, *bound);
  }
}

}  // namespace
}  // namespace tactus::test
