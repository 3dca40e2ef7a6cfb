// An observer may throw whenever it is called: the engine goes on without it and says so.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <span>
#include <stdexcept>
#include <vector>

#include "tactus/device/sim/sim_device.hpp"
#include "tactus/runtime/executive.hpp"
#include "tactus/trace/relay.hpp"

namespace tactus {
namespace {

using namespace std::chrono_literals;

System one_task() {
  System system;
  system.name = "one";
  system.platform.gpu.sms = 1;
  system.policy.strategy = strategy_named("single-stream");
  Task& task = system.tasks.emplace_back();
  task.name = "task";
  task.period = 10ms;
  task.deadline = 10ms;
  task.work.nodes.push_back({"", ExclusiveSegment{Interval::exactly(4ms)}});
  return system;
}

enum class When { asked, first_release, first_end, last_end };

class Throwing final : public trace::Observer {
 public:
  using Observer::on;
  explicit Throwing(When when) : when_{when} {}

  [[nodiscard]] trace::Interests interests() const override {
    if (when_ == When::asked) throw std::runtime_error{"asked"};
    return {.releases = true, .ends = true};
  }
  void on(const trace::JobReleased& /*event*/) override {
    ++calls;
    if (when_ == When::first_release) throw std::runtime_error{"release"};
  }
  void on(const trace::JobEnded& event) override {
    ++calls;
    if (when_ == When::first_end) throw 7;
    // Told when the run is over: the last job was not done.
    if (when_ == When::last_end && event.completion == never) throw std::runtime_error{"end"};
  }

  int calls = 0;

 private:
  When when_;
};

struct Observers {
  Throwing asked{When::asked};
  Throwing release{When::first_release};
  Throwing first_end{When::first_end};
  Throwing last_end{When::last_end};
  std::array<trace::Observer*, 4> all{&asked, &release, &first_end, &last_end};
};

runtime::Outcome run(std::span<trace::Observer* const> observers) {
  const System system = one_task();
  device::SimDevice device;
  runtime::ExecutiveOptions options;
  options.horizon = 22ms;
  return runtime::Executive{system, device, options, observers}.run();
}

void expect_all_failed(const std::vector<trace::ObserverFailure>& failures, const Observers& observers) {
  ASSERT_EQ(failures.size(), 4U);
  EXPECT_EQ(failures[0].what, "asked");
  EXPECT_EQ(failures[1].what, "release");
  EXPECT_EQ(failures[2].what, "an exception that is no std::exception");
  EXPECT_EQ(failures[3].what, "end");
  EXPECT_EQ(observers.asked.calls, 0);
  EXPECT_EQ(observers.release.calls, 1);
  EXPECT_EQ(observers.first_end.calls, 2);
  EXPECT_EQ(observers.last_end.calls, 6);
}

TEST(ThrowingObserver, InTheEnginesThread) {
  const Observers observers;
  const runtime::Outcome outcome = run(observers.all);
  EXPECT_EQ(outcome.ending, runtime::RunEnd::horizon);
  EXPECT_EQ(outcome.completed, 2U);
  EXPECT_EQ(outcome.pending, 1U);
  expect_all_failed(outcome.observer_failures, observers);
}

TEST(ThrowingObserver, InAThreadOfItsOwn) {
  const Observers observers;
  trace::Relay relay{observers.all, 64};
  const std::array<trace::Observer*, 1> relays{&relay};
  const runtime::Outcome outcome = run(relays);
  relay.finish();
  EXPECT_EQ(outcome.completed, 2U);
  EXPECT_TRUE(outcome.observer_failures.empty());
  expect_all_failed(relay.failures(), observers);
}

}  // namespace
}  // namespace tactus
