// Which blocks, which time and which bytes of its segment a submission stands for.
#include "tactus/sched/cutting.hpp"

#include <gtest/gtest.h>

#include <variant>

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

TEST(Cutting, ASliceOfAKernelIsAWaveOnItsSms) {
  const System system =
      system_of("{strategy: sm-cores}", "kernel: {grid: 100, block: 512, block_time: 1us}, sm: 0");
  EXPECT_EQ(stretch_of(system, Extent::slice).until.blocks, 16);
  EXPECT_EQ(stretch_of(system, Extent::slice, {}, 1).until.blocks, 4);
  EXPECT_FALSE(stretch_of(system, Extent::slice, {.blocks = 83}).is_last);
  for (const Extent extent : {Extent::slice, Extent::until_stopped, Extent::whole}) {
    const Stretch rest = stretch_of(system, extent, {.blocks = 84});
    EXPECT_EQ(rest.done.blocks, 84);
    EXPECT_EQ(rest.until.blocks, 100);
    EXPECT_EQ(rest.blocks_of(100), 16);
    EXPECT_TRUE(rest.is_last);
  }
}

TEST(Cutting, ASliceOfExclusiveWorkIsItsLongestBlock) {
  const System cut = system_of("{strategy: sm-cores}", "exclusive: 3ms, longest_block: 1ms");
  const Stretch second = stretch_of(cut, Extent::slice, {.blocks = 1, .time = 1ms});
  EXPECT_EQ(second.until.time, 2ms);
  EXPECT_EQ(second.time_of(3ms), 1ms);
  EXPECT_EQ(second.time_of(1500us), 500us) << "a job may take less";
  EXPECT_FALSE(second.is_last);
  EXPECT_TRUE(stretch_of(cut, Extent::until_stopped).is_last);
  const System anywhere = system_of("{strategy: sm-cores}", "exclusive: 3ms, longest_block: 0");
  EXPECT_TRUE(stretch_of(anywhere, Extent::slice).is_last);
  const System opaque = system_of("{strategy: sm-cores}", "exclusive: 3ms");
  EXPECT_TRUE(stretch_of(opaque, Extent::slice).is_last);
}

TEST(Cutting, ASliceOfACopyIsAPieceWhereTheStrategyCutsCopies) {
  const std::string copy = "segments: [{copy: {bytes: 2500B, direction: to-device}}]";
  const System federated = system_of("{strategy: federated}", copy);
  EXPECT_EQ(stretch_of(federated, Extent::slice).until.bytes, 1000);
  EXPECT_EQ(stretch_of(federated, Extent::whole).until.bytes, 2500);
  EXPECT_TRUE(stretch_of(federated, Extent::whole).is_last);
  EXPECT_TRUE(stretch_of(system_of("{strategy: sm-cores}", copy), Extent::slice).is_last);
}

/// The analyses ask CopyChunks for the times; what is submitted takes the same.
TEST(Cutting, ACopyInPiecesIsAsLongAsTheModelSays) {
  System system =
      system_of("{strategy: federated}", "segments: [{copy: {bytes: 2500B, direction: to-device}}]");
  for (const std::int64_t bandwidth :
       {std::int64_t{700'000'000}, std::int64_t{999'999'999}, std::int64_t{3'000'000'000}}) {
    system.platform.gpu.copy_bandwidth = bandwidth;
    const auto& copy = std::get<CopySegment>(system.tasks[0].work.nodes[0].segment);
    const CopyChunks chunks = chunks_of(copy, system.platform.gpu);
    for (const Duration whole : {0ns, 1ns, 400ns, 1001ns, 2500ns, 3572ns, 9000ns}) {
      SegmentProgress done;
      for (std::int64_t chunk = 0; chunk < 3; ++chunk) {
        const Stretch stretch = stretch_of(system, Extent::slice, done);
        EXPECT_EQ(stretch.done.bytes, chunk * 1000);
        EXPECT_EQ(stretch.time_of(whole), chunks.time(chunk, whole)) << bandwidth << ", chunk " << chunk;
        EXPECT_EQ(stretch.is_last, chunk == 2);
        done = {.bytes = stretch.until.bytes};
      }
      EXPECT_EQ(done.bytes, 2500);
    }
  }
}

/// On a device whose slices of copies have 8000 bytes, where work of level 1 can be overtaken.
std::int64_t bytes_of(const std::string& strategy, Extent extent, std::uint32_t level, bool best_effort) {
  System system = system_of("{strategy: " + strategy + "}", "segments: [{copy: 1ms}]");
  if (best_effort) system.tasks[0].arrival = Arrival::best_effort;
  const Cutting cutting{system, {4, 1}, {.slice = 8000, .overtaken_from = 1}};
  const Submit submit{.id = {{0, 0}, 0}, .server = ServerKind::copy, .level = level, .extent = extent};
  return cutting.stretch(0, submit, {}).until.bytes;
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
