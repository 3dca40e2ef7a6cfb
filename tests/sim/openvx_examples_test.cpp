// The examples and theorems of real-time OpenVX (Yang, Amert et al., 2018), as files of examples/graphs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/source_folder.hpp"
#include "tactus/analysis/graph_timing.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/sim/simulate.hpp"
#include "tactus/trace/recorder.hpp"

namespace tactus::sim {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::Pair;

System example(const std::string& name, std::vector<Override> changes = {}) {
  return load(test::in_repository("examples/graphs/openvx-" + name + ".yaml"), Completeness::complete,
              changes);
}

trace::Recording simulated(const System& system, Duration horizon) {
  SimulationOptions options;
  options.horizon = horizon;
  options.max_pending = 1000;
  trace::Recorder recorder{{.keep = {.cpus = true, .operations = true, .ends = true}}};
  const std::array<trace::Observer*, 1> observers{&recorder};
  simulate(system, options, observers);
  return recorder.take();
}

/// When each node of a job of the only task began and ended, by its name.
using Instants = std::map<std::string, std::pair<Duration, Duration>>;

Instants instants_of(const System& system, std::uint64_t job, Duration horizon = 40ms) {
  Instants instants;
  for (const trace::OperationFinished& node : simulated(system, horizon).operations) {
    if (node.job.number != job) continue;
    instants[system.tasks[0].work.nodes[node.segment].name] = {node.start.time_since_epoch(),
                                                               node.end.time_since_epoch()};
  }
  return instants;
}

std::pair<Duration, Duration> span(Duration start, Duration end) { return {start, end}; }

TEST(OpenVx, Example1HasTheOffsetsOfThePaper) {
  const System system = example("example-1");
  const analysis::GraphTiming timing = analysis::graph_timing(system);
  ASSERT_TRUE(timing.is_bounded());
  const std::vector<analysis::NodeTiming>& nodes = timing.tasks[0];
  std::vector<Duration> responses;
  std::vector<Duration> offsets;
  for (const analysis::NodeTiming& node : nodes) {
    responses.push_back(node.response);
    offsets.push_back(node.offset);
  }
  EXPECT_THAT(responses, ElementsAre(9ms, 5ms, 7ms, 9ms));
  EXPECT_THAT(offsets, ElementsAre(0ms, 9ms, 9ms, 16ms));
  EXPECT_EQ(end_to_end(nodes), 25ms);
  EXPECT_THAT(instants_of(system, 1, 60ms),
              ElementsAre(Pair("t1", span(20ms, 26562500ns)), Pair("t2", span(29ms, 30562500ns)),
                          Pair("t3", span(29ms, 33062500ns)), Pair("t4", span(36ms, 42562500ns))));
}

/// Figure 4 (a): the second frame begins when the first is done, and is done just before 28.
TEST(OpenVx, Figure4aOnePieceAfterTheOther) {
  const System system = example("example-2-monolithic");
  EXPECT_THAT(instants_of(system, 0), ElementsAre(Pair("frame", span(0ms, 16900us))));
  EXPECT_THAT(instants_of(system, 1), ElementsAre(Pair("frame", span(16900us, 27800us))));
}

/// Figure 4 (b): x of the second job runs beside y of the first, in [5, 6); its y waits.
TEST(OpenVx, Figure4bCoarseNodesOverlap) {
  const System system = example("example-2-coarse");
  EXPECT_THAT(instants_of(system, 0), ElementsAre(Pair("x", span(0ms, 1ms)), Pair("y", span(1ms, 16900us))));
  EXPECT_THAT(instants_of(system, 1),
              ElementsAre(Pair("x", span(5ms, 6ms)), Pair("y", span(16900us, 26800us))));
}

/// Figure 4 (c): done at 25, where t3 and t7 wait for the job before.
TEST(OpenVx, Figure4cFineNodesInTurn) {
  const System system = example("example-2-fine");
  EXPECT_THAT(
      instants_of(system, 0),
      ElementsAre(Pair("t1", span(0ms, 1ms)), Pair("t2", span(1ms, 2ms)), Pair("t3", span(5ms, 10500us)),
                  Pair("t4", span(5ms, 5200us)), Pair("t5", span(6ms, 8ms)), Pair("t6", span(16ms, 16200us)),
                  Pair("t7", span(17ms, 24ms))));
  EXPECT_THAT(
      instants_of(system, 1),
      ElementsAre(Pair("t1", span(5ms, 6ms)), Pair("t2", span(6ms, 7ms)), Pair("t3", span(10500us, 16ms)),
                  Pair("t4", span(10ms, 10200us)), Pair("t5", span(11ms, 13ms)),
                  Pair("t6", span(21ms, 21200us)), Pair("t7", span(24ms, 25ms))));
}

/// Figure 4 (d): t3 and t7 of both jobs overlap; the second job is done at 23, before the first.
TEST(OpenVx, Figure4dFineNodesSideBySide) {
  const std::vector<Override> changes{{"--set policy.parallel_jobs=true", "policy.parallel_jobs", "true"}};
  const System system = example("example-2-fine", changes);
  EXPECT_THAT(
      instants_of(system, 0),
      ElementsAre(Pair("t1", span(0ms, 1ms)), Pair("t2", span(1ms, 2ms)), Pair("t3", span(5ms, 10500us)),
                  Pair("t4", span(5ms, 5200us)), Pair("t5", span(6ms, 8ms)), Pair("t6", span(16ms, 16200us)),
                  Pair("t7", span(17ms, 24ms))));
  EXPECT_THAT(
      instants_of(system, 1),
      ElementsAre(Pair("t1", span(5ms, 6ms)), Pair("t2", span(6ms, 7ms)), Pair("t3", span(10ms, 15500us)),
                  Pair("t4", span(10ms, 10200us)), Pair("t5", span(11ms, 13ms)),
                  Pair("t6", span(21ms, 21200us)), Pair("t7", span(22ms, 23ms))));
}

/// By job of a task.
std::vector<Duration> responses_of(const System& system, TaskIndex task, Duration horizon) {
  std::vector<Duration> responses;
  for (const trace::JobEnded& job : simulated(system, horizon).ends) {
    if (job.job.task == task && job.completion != never) responses.push_back(job.completion - job.release);
  }
  return responses;
}

/// With a stream for each task every job of `small` takes 0.1 ms longer than the one before.
TEST(OpenVx, Theorem1AStreamForATaskHasNoBound) {
  System system = example("theorem-1");
  const std::vector<Duration> responses = responses_of(system, 0, 5s);
  ASSERT_GT(responses.size(), 400U);
  for (std::size_t job = 0; job < responses.size(); ++job) {
    ASSERT_EQ(responses[job], 10ms + static_cast<std::int64_t>(job) * 100us) << job;
  }
  for (Task& task : system.tasks) task.stream.reset();
  const analysis::GraphTiming timing = analysis::graph_timing(system);
  ASSERT_TRUE(timing.is_bounded()) << timing.unbounded;
  for (const Duration response : responses_of(system, 0, 5s)) {
    ASSERT_LE(response, end_to_end(timing.tasks[0]));
  }
}

/// Beyond the capacity condition every job of `many` takes 0.5 ms longer than the one before.
TEST(OpenVx, Theorem2BeyondTheCapacityThereIsNoBound) {
  System system = example("theorem-2");
  EXPECT_FALSE(analysis::graph_timing(system).is_bounded());
  const std::vector<Duration> responses = responses_of(system, 2, 5s);
  ASSERT_GT(responses.size(), 400U);
  for (std::size_t job = 0; job < responses.size(); ++job) {
    ASSERT_EQ(responses[job], 10500us + static_cast<std::int64_t>(job) * 500us) << job;
  }
}

/// 128 blocks of a warp have room by threads, but an SM of a TX2 holds 32 blocks: gpu-fifo counts slots, too.
TEST(OpenVx, SlotsOfATx2RunShort) {
  System system = load(test::in_repository("examples/blocks/slots-overload.yaml"));
  system.policy.strategy = strategy_named("graph");
  EXPECT_FALSE(analysis::graph_timing(system).is_bounded());
  const std::vector<Duration> responses = responses_of(system, 0, 5s);
  ASSERT_GT(responses.size(), 200U);
  for (std::size_t job = 0; job < responses.size(); ++job) {
    ASSERT_EQ(responses[job], 20ms + static_cast<std::int64_t>(job) * 10ms) << job;
  }
}

}  // namespace
}  // namespace tactus::sim
