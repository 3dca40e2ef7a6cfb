#include "tactus/device/absence_watch.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <csignal>
#include <thread>
#include <vector>

#include "support/host_run.hpp"
#include "tactus/base/threads.hpp"

namespace tactus::device {
namespace {

using namespace std::chrono_literals;

class Listener final : public trace::Observer {
 public:
  using Observer::on;
  [[nodiscard]] trace::Interests interests() const override { return {.absences = true}; }
  void on(const trace::EngineAway& event) override { heard.push_back(event); }

  std::vector<trace::EngineAway> heard;
};

TEST(AbsenceWatch, SeesLooksThatLieFarApart) {
  AbsenceWatch watch;
  EXPECT_EQ(watch.look(at(1ms)), at(1ms)) << "the first look has none before it";
  watch.look(at(1ms) + least_absence - 1ns);
  EXPECT_EQ(watch.seen().times, 0U);
  watch.look(at(1ms) + 2 * least_absence - 1ns);
  EXPECT_EQ(watch.seen().times, 1U);
  EXPECT_EQ(watch.seen().total, least_absence);
  watch.look(at(5ms));
  EXPECT_EQ(watch.seen().times, 2U);
  EXPECT_EQ(watch.seen().longest, 4ms - 2 * least_absence + 1ns);
  EXPECT_EQ(watch.seen().total, 4ms - least_absence + 1ns);
}

TEST(AbsenceWatch, APauseIsNoAbsence) {
  AbsenceWatch watch;
  watch.look(at(1ms));
  watch.pause();
  watch.look(at(3ms));
  EXPECT_EQ(watch.seen().times, 0U);
  watch.look(at(4ms));
  EXPECT_EQ(watch.seen().longest, 1ms);
}

TEST(AbsenceWatch, TellsTheTrace) {
  Listener listener;
  const std::array<trace::Observer*, 1> observers{&listener};
  const trace::Fanout trace{observers};
  AbsenceWatch watch{&trace};
  watch.look(at(1ms));
  watch.look(at(2ms));
  ASSERT_EQ(listener.heard.size(), 1U);
  EXPECT_EQ(listener.heard[0].from, at(1ms));
  EXPECT_EQ(listener.heard[0].to, at(2ms));
}

TEST(AbsenceWatch, SumsUp) {
  const Absences sum = Absences{2, 30us, 20us} + Absences{1, 50us, 50us};
  EXPECT_EQ(sum.times, 3U);
  EXPECT_EQ(sum.total, 80us);
  EXPECT_EQ(sum.longest, 50us);
}

constexpr Duration held_up = 2ms;
std::atomic<int> times_held_up{0};

/// Keeps the thread from what it was doing, as another thread or a hypervisor would.
void hold_up(int /*signal*/) {
  const auto end = std::chrono::steady_clock::now() + held_up;
  while (std::chrono::steady_clock::now() < end) {
  }
  times_held_up.fetch_add(1);
}

TEST(AbsenceWatch, TheHostDeviceSeesThatItsEngineWasHeldUp) {
  if (available_cpus().size() < 2) GTEST_SKIP() << "with one CPU the device does not wait busily";
  struct sigaction action {};
  action.sa_handler = hold_up;
  struct sigaction before {};
  ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);

  HostOptions options = test::plain_host();
  options.spin = always_spins;
  test::HostRun run{test::small_host_system(), {}, options};
  run.open();
  EXPECT_EQ(run.device->absences().longest, Duration{});
  times_held_up = 0;
  const pthread_t engine = pthread_self();
  constexpr int wanted = 3;
  std::thread other{[&] {
    for (int i = 0; i < wanted; ++i) {
      std::this_thread::sleep_for(20ms);
      pthread_kill(engine, SIGUSR1);
      while (times_held_up.load() <= i) std::this_thread::sleep_for(1ms);
    }
    run.device->wake();
  }};
  // In one long wait, so that no signal comes outside it.
  while (times_held_up.load() < wanted) run.device->wait(run.device->now() + 10s);
  other.join();
  EXPECT_EQ(sigaction(SIGUSR1, &before, nullptr), 0);
  EXPECT_GE(run.device->absences().times, 1U);
  EXPECT_GE(run.device->absences().longest, held_up);
  EXPECT_GE(run.device->absences().total, run.device->absences().longest);
}

}  // namespace
}  // namespace tactus::device
