// Which blocks, which time and which bytes of its segment a submission stands for.
#include "tactus/sched/cutting.hpp"

#include <gtest/gtest.h>

#include "tactus/io/system_file.hpp"

namespace tactus::sched {
namespace {

using namespace std::chrono_literals;

System system_of(const std::string& policy, const std::string& work) {
  return read_system(
             "tactus: 1\nplatform: {gpu: {sms: 4, threads_per_sm: 2048, blocks_per_sm: 32, "
             "copy_bandwidth: 1GB/s, copy_chunk: 1000B}}\npolicy: " +
                 policy + "\ntasks:\n  - {name: a, period: 10ms, " + work + "}\n",
             "cut.yaml", Completeness::to_be_planned)
      .system.value();
}

Stretch stretch_of(const System& system, Extent extent, const SegmentProgress& done = {}, SmSetId sms = 0) {
  const Cutting cutting{system, {system.platform.gpu.sms, 1}, {}};
  return cutting.stretch(0, {.id = {{0, 0}, 0}, .sms = sms, .extent = extent}, done);
}

/// Whether it ends before the segment may.
bool is_limited(const Stretch& stretch) {
  return stretch.max_blocks != Stretch::all || stretch.max_bytes != Stretch::all ||
         stretch.max_time != Duration::max();
}

TEST(Cutting, ASliceOfAKernelIsAWaveOnItsSms) {
  const System system =
      system_of("{strategy: sm-cores}", "kernel: {grid: 100, block: 512, block_time: 1us}, sm: 0");
  EXPECT_EQ(stretch_of(system, Extent::slice).max_blocks, 16);
  EXPECT_EQ(stretch_of(system, Extent::slice, {}, 1).max_blocks, 4);
  EXPECT_EQ(stretch_of(system, Extent::slice, {.blocks = 12}).done.blocks, 12);
  EXPECT_FALSE(is_limited(stretch_of(system, Extent::until_stopped, {.blocks = 12})));
  EXPECT_EQ(stretch_of(system, Extent::until_stopped, {.blocks = 12}).done.blocks, 12);
  EXPECT_FALSE(is_limited(stretch_of(system, Extent::whole)));
}

TEST(Cutting, ASliceOfExclusiveWorkIsItsLongestBlock) {
  const System cut = system_of("{strategy: sm-cores}", "exclusive: 3ms, longest_block: 1ms");
  EXPECT_EQ(stretch_of(cut, Extent::slice).max_time, 1ms);
  EXPECT_EQ(stretch_of(cut, Extent::slice, {.blocks = 1, .time = 1ms}).done.time, 1ms);
  EXPECT_FALSE(is_limited(stretch_of(cut, Extent::until_stopped)));
  const System anywhere = system_of("{strategy: sm-cores}", "exclusive: 3ms, longest_block: 0");
  EXPECT_FALSE(is_limited(stretch_of(anywhere, Extent::slice)));
  const System opaque = system_of("{strategy: sm-cores}", "exclusive: 3ms");
  EXPECT_FALSE(is_limited(stretch_of(opaque, Extent::slice)));
}

TEST(Cutting, ASliceOfACopyIsAPieceWhereTheStrategyCutsCopies) {
  const std::string copy = "segments: [{copy: {bytes: 2500B, direction: to-device}}]";
  const System federated = system_of("{strategy: federated}", copy);
  EXPECT_EQ(stretch_of(federated, Extent::slice).max_bytes, 1000);
  EXPECT_FALSE(is_limited(stretch_of(federated, Extent::whole)));
  EXPECT_FALSE(is_limited(stretch_of(system_of("{strategy: sm-cores}", copy), Extent::slice)));
}

/// On a device whose slices of copies have 8000 bytes, where work of level 1 can be overtaken.
std::int64_t bytes_of(const std::string& strategy, Extent extent, std::uint32_t level, bool best_effort) {
  System system = system_of("{strategy: " + strategy + "}", "segments: [{copy: 1ms}]");
  if (best_effort) system.tasks[0].arrival = Arrival::best_effort;
  const Cutting cutting{system, {4, 1}, {.slice = 8000, .overtaken_from = 1}};
  const Submit submit{.id = {{0, 0}, 0}, .server = ServerKind::copy, .level = level, .extent = extent};
  return cutting.stretch(0, submit, {}).max_bytes;
}

TEST(Cutting, BestEffortCopiesAreCutWhereOthersMustWaitForThem) {
  EXPECT_EQ(bytes_of("single-stream", Extent::slice, 0, true), 8000);
  EXPECT_EQ(bytes_of("single-stream", Extent::until_stopped, 0, true), 8000);
  EXPECT_EQ(bytes_of("single-stream", Extent::whole, 0, true), Stretch::all);
  EXPECT_EQ(bytes_of("single-stream", Extent::slice, 0, false), Stretch::all);
  EXPECT_EQ(bytes_of("multi-stream", Extent::slice, 1, true), Stretch::all) << "others overtake it";
  EXPECT_EQ(bytes_of("sm-cores", Extent::slice, 5, true), 8000);
  EXPECT_EQ(bytes_of("as-submitted", Extent::slice, 0, true), Stretch::all);
}

}  // namespace
}  // namespace tactus::sched
