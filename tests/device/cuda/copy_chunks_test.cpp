// Which copies are made in chunks, and what these cost.
#include "tactus/device/cuda/copies.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tactus/device/cuda/stream_queues.hpp"
#include "tactus/sched/draws.hpp"

namespace tactus::cuda {
namespace {

using namespace std::chrono_literals;

ChunkRule rule_of(StrategyRef strategy, std::vector<sched::Lane> lanes) {
  System system;
  system.policy.strategy = strategy;
  const sched::Draws draws{system, 1, Execution::worst};
  const device::Setup setup{.system = system,
                            .draws = draws,
                            .sm_sets = {{}},
                            .streams = {},
                            .lanes = std::move(lanes),
                            .cpu_lanes = {}};
  return make_chunk_rule(setup, 1000);
}

TEST(CudaChunkRule, CopiesThatMayBeOvertakenAreCut) {
  const ChunkRule rule =
      rule_of(strategy_named("multi-stream"), {{.stream = 0, .level = 2}, {.stream = 1, .level = 1}});
  EXPECT_EQ(rule.chunk_of(1, false), ChunkRule::whole);
  EXPECT_EQ(rule.chunk_of(2, false), 1000);
  EXPECT_EQ(rule.chunk_of(1, true), 1000);
}

TEST(CudaChunkRule, WhereAllAreEquallyUrgentOnlyBestEffortCopiesAreCut) {
  const ChunkRule rule = rule_of(strategy_named("single-stream"), {{.stream = 0, .level = 3}});
  EXPECT_EQ(rule.chunk_of(3, false), ChunkRule::whole);
  EXPECT_EQ(rule.chunk_of(3, true), 1000);
}

TEST(CudaChunkRule, APlainProgramIsLeftAsItIs) {
  const ChunkRule rule =
      rule_of(strategy_named("as-submitted"), {{.stream = 0, .level = 0}, {.stream = 1, .level = 5}});
  EXPECT_EQ(rule.chunk_of(5, false), ChunkRule::whole);
  EXPECT_EQ(rule.chunk_of(5, true), ChunkRule::whole);
}

TEST(CudaChunkRule, ASliceIsAFewChunks) {
  EXPECT_EQ(copy_slice_of(1000), 8000);
  EXPECT_EQ(copy_slice_of(ChunkRule::whole), ChunkRule::whole);
}

TEST(CudaCopySpeed, EveryChunkTakesItsFixedTime) {
  const CopySpeed speed{.fixed = 2us, .bytes_per_second = 1'000'000'000};  // a byte a nanosecond
  // A chunk of 1000 bytes takes 1 us, 2 us and the nanosecond by which divisions are rounded.
  EXPECT_EQ(speed.bytes_in(3001ns * 4, 1000), 4000);
  EXPECT_EQ(speed.bytes_in(3001ns * 4 + 2500ns, 1000), 4500);
  EXPECT_EQ(speed.bytes_in(3001ns * 4 + 1999ns, 1000), 4000);
  EXPECT_EQ(speed.bytes_in(2900ns, 1000), 900);
  EXPECT_EQ(speed.bytes_in(1s, ChunkRule::whole), speed.bytes_in(1s));
  for (Duration time = 1us; time < 100us; time += 777ns) {
    const std::int64_t bytes = speed.bytes_in(time, 1000);
    EXPECT_LE(bytes, speed.bytes_in(time));
    const std::int64_t chunks = (bytes + 999) / 1000;
    if (time <= 2us) continue;
    EXPECT_LE(chunks * 2us + nanoseconds(bytes), time) << in_ns(time);
  }
}

TEST(CudaStreamQueues, SignalsThatWereNotReachedAreCounted) {
  StreamEntry entry;
  entry.signal = 7;
  EXPECT_EQ(StreamQueues::signals_ahead(entry, 6), 0U);  // none is in the stream
  entry.signal = 8;
  entry.signals = 2;  // 7 and 8
  EXPECT_EQ(StreamQueues::signals_ahead(entry, 6), 2U);
  EXPECT_EQ(StreamQueues::signals_ahead(entry, 7), 1U);
  EXPECT_EQ(StreamQueues::signals_ahead(entry, 8), 0U);
  EXPECT_EQ(StreamQueues::signals_ahead(entry, 0), 2U);  // what an earlier use left
  entry.signal = 1;                                      // it wrapped round
  EXPECT_EQ(StreamQueues::signals_ahead(entry, ~0U), 2U);
}

}  // namespace
}  // namespace tactus::cuda
