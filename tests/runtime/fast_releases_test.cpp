// Releases that come faster than anybody can look at them: all are counted, few are kept.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>

#include "support/effort.hpp"
#include "support/event_log.hpp"
#include "tactus/device/sim/sim_device.hpp"
#include "tactus/runtime/runtime.hpp"
#include "tactus/sched/arrivals.hpp"

namespace tactus {
namespace {

using namespace std::chrono_literals;

System every(Duration period, Arrival arrival = Arrival::periodic) {
  System system;
  system.name = "fast";
  system.platform.gpu.sms = 1;
  system.policy.strategy = strategy_named("single-stream");
  Task& task = system.tasks.emplace_back();
  task.name = "fast";
  task.arrival = arrival;
  task.period = period;
  task.deadline = 1us;
  task.work.nodes.push_back({"", ExclusiveSegment{Interval::exactly(10us)}});
  return system;
}

/// A simulated device whose clock runs away while the engine looks at what happened: real ones do.
class Hurried final : public device::Device {
 public:
  explicit Hurried(Duration jump) : jump_{jump} {}
  [[nodiscard]] sched::Capabilities capabilities(const System& system) const override {
    return inner_.capabilities(system);
  }
  void open(const device::Setup& setup) override { inner_.open(setup); }
  [[nodiscard]] Time now() noexcept override { return now_; }
  void wait(Time until) override { now_ = std::max(now_, until) + jump_; }
  void poll(sched::Events& /*events*/) override {}
  void submit(const device::Request& /*request*/) override {}
  void request_stop(sched::SubmissionId /*operation*/) override {}
  Time job_over(sched::JobId /*job*/) noexcept override { return never; }
  void close() override {}

 private:
  device::SimDevice inner_;
  Duration jump_;
  Time now_ = origin;
};

class Counter final : public trace::Observer {
 public:
  using Observer::on;
  [[nodiscard]] trace::Interests interests() const override { return {.releases = true}; }
  void on(const trace::JobReleased& /*event*/) override { ++released; }
  std::uint64_t released = 0;
};

RunReport run_late(System system, Duration length, Counter& counter) {
  RuntimeOptions options;
  options.real_time = false;
  options.sporadic_by_call = false;
  options.watchdog = Duration{};
  options.max_pending = 16;
  Runtime runtime{std::make_unique<Hurried>(1s), std::move(system), options};
  runtime.observe(counter);
  return runtime.run_for(length);
}

TEST(FastReleases, AreAllCountedAndFewAreTold) {
  Counter told;
  const RunReport report = run_late(every(1ns), 3s, told);
  EXPECT_EQ(report.outcome.released, 3'000'000'000U);
  EXPECT_EQ(report.tasks[0].released, 3'000'000'000U);
  EXPECT_EQ(report.outcome.pending + report.outcome.dropped, 3'000'000'000U);
  EXPECT_EQ(report.outcome.released - report.outcome.untold, told.released + report.job_events_lost);
  EXPECT_LT(told.released, 100'000U);
  EXPECT_TRUE(report.outcome.counts_all);
  // Due by the end: those that were released a microsecond before it.
  EXPECT_EQ(report.misses, 2'999'999'001U);
  EXPECT_EQ(report.outcome.tasks[0].misses, report.misses);
  EXPECT_FALSE(report.holds());
}

TEST(FastReleases, ThatAreDrawnAreCountedUpToALimit) {
  Counter told;
  const RunReport report = run_late(every(1ns, Arrival::sporadic), 3s, told);
  EXPECT_FALSE(report.outcome.counts_all);
  EXPECT_GT(report.outcome.untold, 1'000'000U);
  EXPECT_LT(report.outcome.untold, 1'100'000U);
}

TEST(FastReleases, ThatMayBeSeenLateDoNotWaitWithoutEnd) {
  if (test::is_watched) GTEST_SKIP() << "millions of steps of one thread: too slow for a sanitizer";
  System system = every(1ns);
  system.tasks[0].jitter = 1s;
  Counter told;
  const RunReport report = run_late(std::move(system), 2s, told);
  EXPECT_EQ(report.outcome.released, 2'000'000'000U);
  EXPECT_LT(told.released + report.job_events_lost, 10'000'000U);
}

TEST(FastReleases, OfPeriodicTasksAreKnownWithoutAStepForEach) {
  const System system = every(7ns);
  const sched::Draws draws{system, 1, Execution::worst};
  const sched::Arrivals arrivals{system, draws, time_at(1'000ns)};
  for (std::int64_t start = 0; start < 30; start += 7) {
    const sched::Release first{time_at(nanoseconds(start)), 0, static_cast<std::uint64_t>(start / 7)};
    for (std::int64_t until = start; until < 1'200; ++until) {
      const sched::Releases alike = arrivals.alike_until(first, time_at(nanoseconds(until)));
      std::uint64_t jobs = 0;
      std::uint64_t due = 0;
      sched::Release last = first;
      for (std::optional<sched::Release> one = first; one && one->nominal <= time_at(nanoseconds(until));
           one = arrivals.after(*one)) {
        ++jobs;
        last = *one;
        if (one->nominal + 20ns <= time_at(nanoseconds(until))) ++due;
      }
      ASSERT_EQ(alike.jobs, jobs);
      ASSERT_EQ(alike.last.nominal, last.nominal);
      ASSERT_EQ(alike.last.number, last.number);
      ASSERT_EQ(alike.jobs_before(time_at(nanoseconds(until)), 20ns), due);
    }
  }
}

}  // namespace
}  // namespace tactus
