// What is left out for want of room, and what is not.
#include "tactus/trace/relay.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <vector>

#include "tactus/trace/recorder.hpp"

namespace tactus::trace {
namespace {

/// Counts what comes; waits at the first event until it is let go.
class Slow final : public Observer {
 public:
  using Observer::on;
  [[nodiscard]] Interests interests() const override {
    return {.releases = true, .blocks = true, .ends = true};
  }
  void on(const JobReleased& /*event*/) override {
    busy = true;
    busy.notify_all();
    free.wait(false);
  }
  void on(const BlockRan& /*event*/) override { ++blocks; }
  void on(const JobEnded& /*event*/) override { ++ends; }

  std::atomic<bool> busy{false};
  std::atomic<bool> free{false};
  int blocks = 0;
  int ends = 0;
};

TEST(Relay, KeepsRoomForTheEndsOfJobs) {
  Slow slow;
  const std::array<Observer*, 1> observers{&slow};
  Relay relay{observers, 16};
  Observer& told = relay;
  told.on(JobReleased{});
  slow.busy.wait(false);  // the ring is empty from here on, and nobody reads
  for (int i = 0; i < 100; ++i) told.on(BlockRan{});
  EXPECT_EQ(relay.lost(), 88U);
  EXPECT_EQ(relay.lost_of_jobs(), 0U);
  for (int i = 0; i < 4; ++i) told.on(JobEnded{});
  EXPECT_EQ(relay.lost_of_jobs(), 0U);
  told.on(JobEnded{});
  EXPECT_EQ(relay.lost_of_jobs(), 1U);
  EXPECT_EQ(relay.lost(), 89U);
  slow.free = true;
  slow.free.notify_all();
  relay.finish();
  EXPECT_EQ(slow.blocks, 12);
  EXPECT_EQ(slow.ends, 4);
}

TEST(Relay, PassesOnAbsencesWhereTheyAreWanted) {
  Recorder recorder{{.keep = {.absences = true}}};
  const std::array<Observer*, 1> observers{&recorder};
  Relay relay{observers, 16};
  EXPECT_TRUE(relay.interests().absences);
  EXPECT_FALSE(relay.interests().ends);
  Observer& told = relay;
  told.on(EngineAway{time_at(nanoseconds(1)), time_at(nanoseconds(7))});
  relay.finish();
  const std::vector<EngineAway> heard = recorder.take().absences;
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_EQ(heard[0].from, time_at(nanoseconds(1)));
  EXPECT_EQ(heard[0].to, time_at(nanoseconds(7)));
}

}  // namespace
}  // namespace tactus::trace
