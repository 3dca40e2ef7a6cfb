// The composed tests on system files: servers, overheads and kernels as numbers, worked out by hand.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tactus/analysis/check.hpp"
#include "tactus/analysis/registry.hpp"
#include "tactus/io/system_file.hpp"

namespace tactus::analysis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Two cores, two SMs with room for one block of 128 threads each; a line of a file for each task.
System system_with(const std::string& policy, const std::string& tasks, const std::string& gpu = "") {
  const std::string text = fmt::format(
      "tactus: 1\nplatform: {{cpus: 2, gpu: {{sms: 2, threads_per_sm: 128, virtual_sms_per_sm: 1{}}}}}\n"
      "policy: {{{}}}\ntasks:\n{}",
      gpu, policy, tasks);
  const ReadResult result = read_system(text, "test.yaml");
  for (const Problem& problem : result.problems) ADD_FAILURE() << problem.message << "\n" << text;
  return result.system.value();
}

/// -1 for no bound.
std::vector<std::int64_t> bounds(const char* id, const System& system) {
  const Result result = run(*find(id), system);
  EXPECT_TRUE(result.applies()) << result.why_not;
  std::vector<std::int64_t> all;
  for (const TaskResult& task : result.tasks) all.push_back(task.bound ? task.bound->count() : -1);
  return all;
}

std::string kernel(int blocks, int time) {
  return fmt::format("kernel: {{grid: {}, block: 128, block_time: {}ns}}", blocks, time);
}

const std::string two_kernels =
    "  - {name: a, period: 20ns, priority: 2, segments: [{cpu: 1ns}, {" + kernel(2, 1) +
    "}]}\n"
    "  - {name: b, period: 100ns, priority: 1, core: 1, segments: [{cpu: 1ns}, {" +
    kernel(2, 10) + "}]}\n";

TEST(ChainTests, KernelsGiveWayAtTheirBlocks) {
  // a: a block of b, then 1 + ceil(1 / 2). b: 10 + 10 / 2, and two jobs of a, of which the first may be late.
  EXPECT_THAT(bounds("chain-fp", system_with("strategy: multi-stream, order: fp, levels: 2", two_kernels)),
              ElementsAre(1 + 10 + 2, 1 + 15 + 4));
}

/// Simulation and runs refuse such a system.
TEST(ChainTests, GpuSegmentsHaveNoTimeWithoutVirtualSms) {
  const char* const tasks =
      "  - {name: a, period: 50ns, segments: [{cpu: 1ns}, {gpu: {work: 3ns, interleave: 1.8}}]}\n";
  for (const char* policy : {"strategy: as-submitted", "strategy: single-stream, order: fp",
                             "strategy: multi-stream, order: fp", "strategy: time-sliced"}) {
    const System system = system_with(policy, tasks);
    for (const CheckedAnalysis& checked : check(system).analyses) {
      EXPECT_FALSE(checked.result.applies()) << policy << ", " << checked.analysis.id;
    }
    EXPECT_THAT(run(*find("chain-fp"), system).why_not, HasSubstr("task 'a' has a `gpu` segment"));
  }
}

TEST(ChainTests, KernelsThatComeFirstTakeTheirPlacesAlone) {
  // Of the other kernel all blocks count, half a unit of time each for one unit; of its own the last one
  // whole.
  EXPECT_THAT(bounds("chain-fp", system_with("strategy: as-submitted", two_kernels)),
              ElementsAre(1 + 2 + 10, 1 + 15 + 1));
}

TEST(ChainTests, ExclusiveWorkWaitsUntilKernelsHaveEnded) {
  const std::string tasks = two_kernels +
                            "  - {name: c, period: 200ns, priority: 3, core: 1, segments: [{cpu: 1ns}, "
                            "{exclusive: 4ns}]}\n";
  // c, as submitted: behind both kernels, each to the end of its last block.
  EXPECT_EQ(bounds("chain-fp", system_with("strategy: as-submitted", tasks))[2], 1 + 4 + 2 + 15);
  // On levels: its time and the longest block; before that a in the last level, with a block of b before and
  // behind it.
  EXPECT_EQ(bounds("chain-fp", system_with("strategy: multi-stream, order: fp, levels: 2", tasks))[2],
            1 + (10 + 2 + 10) + (4 + 10));
}

TEST(ChainTests, ChunksOfLessUrgentCopiesBlockOnce) {
  const std::string tasks =
      "  - {name: a, period: 50ns, priority: 2, segments: [{cpu: 1ns}, {copy: {bytes: 6B, direction: "
      "to-device}}]}\n"
      "  - {name: b, period: 500ns, priority: 1, core: 1, segments: [{cpu: 1ns}, {copy: {bytes: 100B, "
      "direction: to-device}}]}\n";
  const auto with = [&](const std::string& gpu) {
    return bounds("chain-fp", system_with("strategy: single-stream, order: fp", tasks, gpu));
  };
  EXPECT_THAT(with(", copy_bandwidth: 1GB/s"), ElementsAre(-1, -1));
  // Chunks of 4: one of b blocks a; in 119 a may come three times.
  EXPECT_THAT(with(", copy_bandwidth: 1GB/s, copy_chunk: 4B"), ElementsAre(1 + 4 + 6, 1 + 100 + 18));
}

TEST(ChainTests, BranchesShareTheSmsOfTheirTask) {
  const std::string tasks = "  - {name: a, period: 50ns, graph: {nodes: {x: {" + kernel(1, 5) + "}, y: {" +
                            kernel(1, 7) + "}, z: {cpu: 1ns}}, edges: [[x, z]]}}\n";
  // x may be behind y, and y behind x.
  EXPECT_THAT(bounds("chain-fp", system_with("strategy: federated, virtual_sms: {a: 1}", tasks)),
              ElementsAre(5 + 7 + 1));
}

TEST(ChainTests, SayWhereTheTimeGoes) {
  const std::string tasks =
      "  - {name: a, period: 20ns, deadline: 10ns, segments: [{cpu: 2ns}, {exclusive: 3ns}]}\n"
      "  - {name: b, period: 90ns, core: 1, segments: [{cpu: 1ns}, {exclusive: 8ns}]}\n";
  const Result result = run(*find("chain-fp"), system_with("strategy: single-stream, order: fp", tasks));
  EXPECT_EQ(result.verdict, Verdict::unproven);
  EXPECT_EQ(
      result.reason,
      "the response of 'a' may pass its deadline of 10ns: by then it may take 2ns on core 0 (2ns of its "
      "own) + 11ns on the GPU (3ns); the GPU may be kept from it for 8ns by 'b' each time");
}

TEST(ChainTests, NameTheTaskThatFailsFirst) {
  // Under EDF all depend on each other: the one to speak of is not the most urgent.
  const std::string tasks =
      "  - {name: a, period: 20ns, segments: [{cpu: 1ns}, {exclusive: 1ns}]}\n"
      "  - {name: b, period: 30ns, deadline: 21ns, core: 1, segments: [{cpu: 16ns}, {exclusive: 5ns}]}\n";
  const Result result = run(*find("chain-edf"), system_with("strategy: single-stream, order: edf", tasks));
  EXPECT_EQ(result.verdict, Verdict::unproven);
  EXPECT_THAT(result.reason, HasSubstr("the response of 'b' may pass its deadline of 21ns"));
}

}  // namespace
}  // namespace tactus::analysis
