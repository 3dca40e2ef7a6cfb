#include "tactus/device/absence_watch.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "support/held_up.hpp"
#include "support/host_run.hpp"
#include "tactus/base/threads.hpp"
#include "tactus/trace/recorder.hpp"

namespace tactus::device {
namespace {

using namespace std::chrono_literals;

TEST(AbsenceWatch, SeesLooksThatLieFarApart) {
  AbsenceWatch watch;
  EXPECT_EQ(watch.look(time_at(1ms)), time_at(1ms)) << "the first look has none before it";
  watch.look(time_at(1ms) + min_absence - 1ns);
  EXPECT_EQ(watch.seen().times, 0U);
  watch.look(time_at(1ms) + 2 * min_absence - 1ns);
  EXPECT_EQ(watch.seen().times, 1U);
  EXPECT_EQ(watch.seen().total, min_absence);
  watch.look(time_at(5ms));
  EXPECT_EQ(watch.seen().times, 2U);
  EXPECT_EQ(watch.seen().longest, 4ms - 2 * min_absence + 1ns);
  EXPECT_EQ(watch.seen().total, 4ms - min_absence + 1ns);
}

TEST(AbsenceWatch, APauseIsNoAbsence) {
  AbsenceWatch watch;
  watch.look(time_at(1ms));
  watch.pause();
  watch.look(time_at(3ms));
  EXPECT_EQ(watch.seen().times, 0U);
  watch.look(time_at(4ms));
  EXPECT_EQ(watch.seen().longest, 1ms);
}

TEST(AbsenceWatch, TellsTheTrace) {
  trace::Recorder recorder{{.keep = {.absences = true}}};
  const std::array<trace::Observer*, 1> observers{&recorder};
  const trace::Fanout trace{observers};
  AbsenceWatch watch{&trace};
  watch.look(time_at(1ms));
  watch.look(time_at(2ms));
  const std::vector<trace::EngineAway> heard = recorder.take().absences;
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_EQ(heard[0].from, time_at(1ms));
  EXPECT_EQ(heard[0].to, time_at(2ms));
}

TEST(AbsenceWatch, SumsUp) {
  const Absences sum = Absences{2, 30us, 20us} + Absences{1, 50us, 50us};
  EXPECT_EQ(sum.times, 3U);
  EXPECT_EQ(sum.total, 80us);
  EXPECT_EQ(sum.longest, 50us);
}

class HostAbsences : public testing::Test {
 protected:
  void SetUp() override {
    if (available_cpus().size() < 2) GTEST_SKIP() << "with one CPU the device does not wait busily";
  }

  static HostOptions spinning() {
    HostOptions options = test::plain_host();
    options.spin = always_spins;
    return options;
  }

  /// The thread that waits is held up so often, each time in a wait of its own.
  static void hold_up_in_waits(Device& device, int times) {
    const pthread_t engine = pthread_self();
    std::atomic<int> waits{0};
    std::thread other{[&] {
      for (int i = 1; i <= times; ++i) {
        waits.wait(i - 1);
        std::this_thread::sleep_for(5ms);  // until it is inside
        test::HoldUps::hold_up(engine);
        device.wake();
      }
    }};
    sched::Events events;
    for (int i = 1; i <= times; ++i) {
      waits = i;
      waits.notify_one();
      while (test::HoldUps::times() < i) device.wait(device.now() + 10s);
      device.poll(events);
    }
    other.join();
  }
};

TEST_F(HostAbsences, AreSeenWhereNothingElseHappens) {
  test::HostRun run{test::small_host_system(), {}, spinning()};
  run.open();
  const test::HoldUps hold_ups;
  constexpr int times = 20;
  hold_up_in_waits(*run.device, times);
  EXPECT_GE(run.device->absences().times, times * 4 / 5);
  EXPECT_GE(run.device->absences().longest, test::HoldUps::length);
  EXPECT_GE(run.device->absences().total, times * test::HoldUps::length * 4 / 5);
}

TEST_F(HostAbsences, AreSeenWhereNewsComeMeanwhile) {
  test::HostRun run{test::small_host_system(), {}, spinning()};
  run.open();
  const test::HoldUps hold_ups{[&] { run.device->wake(); }};
  constexpr int times = 40;
  hold_up_in_waits(*run.device, times);
  EXPECT_GE(run.device->absences().times, times * 4 / 5);
  EXPECT_GE(run.device->absences().total, times * test::HoldUps::length * 4 / 5);
}

TEST_F(HostAbsences, SleepAndOtherWorkAreNone) {
  test::HostRun sleeping{test::small_host_system()};
  sleeping.open();
  constexpr Duration long_time = 200ms;
  sleeping.device->wait(sleeping.device->now() + long_time);
  EXPECT_LT(sleeping.device->absences().longest, long_time / 2);

  test::HostRun run{test::small_host_system(), {}, spinning()};
  run.open();
  run.device->wait(run.device->now() + 1ms);
  std::this_thread::sleep_for(long_time);
  run.device->wait(run.device->now() + 1ms);
  EXPECT_LT(run.device->absences().longest, long_time / 2);
}

TEST(HostDevice, AWakeBeforeTheWaitEndsIt) {
  test::HostRun run{test::small_host_system()};
  run.open();
  run.device->poll(run.events);
  run.device->wake();
  const Time begin = run.device->now();
  run.device->wait(begin + 1h);
  EXPECT_LT(run.device->now(), begin + 1h);
}

}  // namespace
}  // namespace tactus::device
