// That the engine was held up reaches the report, its JSON and the observers.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "support/held_up.hpp"
#include "support/host_run.hpp"
#include "tactus/base/threads.hpp"
#include "tactus/runtime/json.hpp"
#include "tactus/runtime/runtime.hpp"
#include "tactus/trace/recorder.hpp"

namespace tactus {
namespace {

using namespace std::chrono_literals;

System one_task() {
  System system = test::small_host_system();
  Task& task = test::add_task(system, "steady", {test::host_kernel(1, 1ms)});
  task.arrival = Arrival::periodic;
  task.period = task.deadline = 50ms;
  return system;
}

TEST(Absences, ReachTheReportAndTheObservers) {
  if (available_cpus().size() < 2) GTEST_SKIP() << "with one CPU the device does not wait busily";
  device::HostOptions options = test::plain_host();
  options.spin = device::always_spins;
  RuntimeOptions wishes;
  wishes.real_time = false;
  Runtime runtime{device::make_host_device(options), one_task(), wishes};
  trace::Recorder recorder{{.keep = {.absences = true}}};
  runtime.observe(recorder);
  const test::HoldUps hold_ups;
  const pthread_t engine = pthread_self();
  std::thread other{[&] {
    for (int i = 0; i < 10; ++i) {
      std::this_thread::sleep_for(20ms);
      test::HoldUps::hold_up(engine);
    }
    runtime.stop();
  }};
  const RunReport report = runtime.run_until_stopped();
  other.join();
  const device::Absences& absences = report.outcome.absences;
  EXPECT_GE(absences.times, 1U);
  EXPECT_GE(absences.longest, test::HoldUps::length);
  EXPECT_LE(absences.longest, absences.total);
  ASSERT_EQ(report.events_lost, 0U);
  const std::vector<trace::EngineAway> heard = recorder.take().absences;
  EXPECT_EQ(heard.size(), absences.times);
  Duration total{};
  for (const trace::EngineAway& away : heard) total += away.to - away.from;
  EXPECT_EQ(total, absences.total);
}

TEST(Absences, AreInTheJsonOfAnOutcome) {
  runtime::Outcome outcome;
  outcome.absences = {.times = 3, .total = 80us, .longest = 50us};
  nlohmann::ordered_json json;
  to_json(json, outcome);
  EXPECT_EQ(json["engine_away"],
            nlohmann::ordered_json({{"times", 3}, {"total_ns", 80'000}, {"longest_ns", 50'000}}));
}

}  // namespace
}  // namespace tactus
