// The engine begins no best-effort job shortly before a release.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "support/recording.hpp"
#include "tactus/device/sim/sim_device.hpp"
#include "tactus/runtime/executive.hpp"

namespace tactus::test {
namespace {

using runtime::ReleaseGuard;

/// Best-effort work in pieces of 9 ns beside a task that comes every 100 ns, in one stream.
System one_stream() {
  System system;
  system.name = "quiet";
  system.policy.strategy = strategy_named("single-stream");
  Task& urgent = system.tasks.emplace_back();
  urgent.name = "urgent";
  urgent.offset = urgent.period.emplace(100);
  urgent.deadline = Duration{100};
  urgent.work.nodes.push_back({.name = {}, .segment = ExclusiveSegment{Interval::exactly(Duration{10})}});
  Task& load = system.tasks.emplace_back();
  load.name = "load";
  load.arrival = Arrival::best_effort;
  load.work.nodes.push_back({.name = {}, .segment = ExclusiveSegment{Interval::exactly(Duration{9})}});
  return system;
}

struct Seen {
  Duration longest{};        // response of the urgent task
  std::uint64_t urgent = 0;  // jobs
  std::uint64_t load = 0;
};

Seen run(const System& system, Duration quiet) {
  Recorder recorder{Recorder::Blocks::wanted};
  const std::array<trace::Observer*, 1> observers{&recorder};
  device::SimDevice device;
  runtime::ExecutiveOptions options;
  options.horizon = Duration{10'000};
  options.quiet_before_release = quiet;
  runtime::Executive{system, device, options, observers}.run();
  Seen seen;
  for (const trace::JobEnded& job : recorder.recording.ends) {
    if (job.completion == never) continue;
    if (job.job.task == 0) seen.longest = std::max(seen.longest, job.completion - job.release);
    ++(job.job.task == 0 ? seen.urgent : seen.load);
  }
  return seen;
}

TEST(ReleaseGuard, AJobDoesNotWaitForOneThatCouldHaveWaited) {
  const Seen as_it_comes = run(one_stream(), Duration{});
  EXPECT_EQ(as_it_comes.longest, Duration{18});  // the load begins again at 99
  const Seen quiet = run(one_stream(), Duration{10});
  EXPECT_EQ(quiet.longest, Duration{10});
  EXPECT_EQ(quiet.urgent, as_it_comes.urgent);
  EXPECT_GT(quiet.load, as_it_comes.load * 8 / 10);
}

// The load runs from 90 to 99; a job waits for the stream since 95, and at 100 the next release is due.
TEST(ReleaseGuard, AJobThatWaitsForBestEffortWorkHearsOfItsEndAtOnce) {
  System system = one_stream();
  Task waiting = system.tasks[0];
  waiting.name = "waiting";
  waiting.arrival = Arrival::once;
  waiting.period.reset();
  waiting.offset = Duration{95};
  waiting.deadline = Duration{50};
  waiting.work.nodes.front().segment = ExclusiveSegment{Interval::exactly(Duration{1})};
  system.tasks.insert(system.tasks.begin(), waiting);
  EXPECT_EQ(run(system, Duration{4}).longest, Duration{5});
  // Held back before 95, for that release alone: the one at 100 is near, too.
  EXPECT_EQ(run(system, Duration{10}).longest, Duration{1});
}

TEST(ReleaseGuard, BestEffortWorkIsNotHeldUpForEver) {
  System system = one_stream();
  system.tasks[0].period = system.tasks[0].deadline = Duration{20};
  const Seen quiet = run(system, Duration{30});  // longer than the time between two releases
  EXPECT_GT(quiet.load, 10U);
  EXPECT_GT(quiet.urgent, 400U);
}

TEST(ReleaseGuard, IsNearFromTheSpanOnUntilItIsHandled) {
  const ReleaseGuard guard{Duration{20}};
  EXPECT_FALSE(guard.is_near(time_at(Duration{120}), time_at(Duration{100})));
  EXPECT_TRUE(guard.is_near(time_at(Duration{119}), time_at(Duration{100})));
  EXPECT_TRUE(guard.is_near(time_at(Duration{99}), time_at(Duration{100})));
  EXPECT_FALSE(guard.is_near(never, time_at(Duration{100})));
  EXPECT_FALSE(ReleaseGuard{Duration{}}.is_near(time_at(Duration{100}), time_at(Duration{100})));
}

TEST(ReleaseGuard, KeepsTheOrderAndTheOthers) {
  ReleaseGuard guard{Duration{20}};
  sched::Events events{sched::TimerFired{1}, sched::TimerFired{2}, sched::TimerFired{3},
                       sched::TimerFired{4}};
  const auto is_even = [](const sched::Event& event) {
    return std::get<sched::TimerFired>(event).timer % 2 == 0;
  };
  guard.hold_back(events, time_at(Duration{100}), is_even);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(std::get<sched::TimerFired>(events[1]).timer, 3U);
  EXPECT_TRUE(guard.holds());
  EXPECT_TRUE(guard.is_near(time_at(Duration{200}), time_at(Duration{199})));
  EXPECT_FALSE(guard.is_near(time_at(Duration{201}), time_at(Duration{200})));  // five spans are enough
  guard.give_back(events);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(std::get<sched::TimerFired>(events[0]).timer, 2U);
  EXPECT_FALSE(guard.holds());
}

}  // namespace
}  // namespace tactus::test
