// From the start of a run to its end no memory is missing: the engine's thread has no page fault.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "support/effort.hpp"
#include "support/host_run.hpp"
#include "tactus/device/host/host_device.hpp"
#include "tactus/machine/real_time.hpp"
#include "tactus/runtime/executive.hpp"
#include "tactus/trace/relay.hpp"
#include "tactus/trace/statistics.hpp"

namespace tactus {
namespace {

using namespace std::chrono_literals;

struct Faults {
  std::int64_t minor = 0;  // the page was there, but not at hand
  std::int64_t major = 0;  // it had to be read
};

Faults faults_of_this_thread() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return {usage.ru_minflt, usage.ru_majflt};
}

System busy_system(StrategyRef strategy) {
  System system = test::small_host_system();
  system.policy.strategy = strategy;
  system.policy.order = Order::fp;
  for (const char* name : {"first", "second", "background"}) {
    Task& task = test::add_task(system, name, {test::host_kernel(6, 200us)});
    task.arrival = Arrival::periodic;
    task.period = task.deadline = 5ms;
  }
  Task& background = system.tasks.back();
  background.arrival = Arrival::best_effort;
  background.period.reset();
  background.deadline.reset();
  if (strategy->sms == SmSharing::cores) {
    system.policy.reservations = Reservations{.period = 3ms, .local = {}, .all = Window{0ms, 3ms}};
  }
  if (strategy->sms == SmSharing::owned) {
    system.virtual_sms = {2, 2, 0};
    background.work.nodes[0].segment = CpuSegment{Interval::exactly(300us)};
  }
  return system;
}

/// Ends the run when enough has happened, however long that takes.
class Enough final : public trace::Observer {
 public:
  using Observer::on;
  [[nodiscard]] trace::Interests interests() const override { return {.ends = true}; }
  void on(const trace::JobEnded& /*event*/) override {
    if (++ends_ == 60) reached = true;
  }

  std::atomic<bool> reached{false};

 private:
  int ends_ = 0;
};

/// Of the engine's thread, while jobs run.
Faults faults_of_run(const System& system) {
  const std::unique_ptr<device::Device> device = device::make_host_device();
  trace::Statistics statistics{system.tasks.size()};
  const std::array<trace::Observer*, 1> observers{&statistics};
  trace::Relay relay{observers, 1U << 14U};
  Enough enough;
  const std::array<trace::Observer*, 2> relays{&relay, &enough};
  runtime::ExecutiveOptions options;
  options.stop = &enough.reached;
  options.max_pending = 1024;
  options.watchdog = 60s;
  std::uint64_t misses = 0;
  options.on_miss = [&](const runtime::Incident& /*miss*/) { ++misses; };
  runtime::Executive executive{system, *device, options, relays};
  static_cast<void>(machine::lock_memory());
  executive.start();
  const Faults before = faults_of_this_thread();
  while (executive.step()) {
  }
  const Faults after = faults_of_this_thread();
  EXPECT_EQ(executive.finish().ending, runtime::RunEnd::stopped);
  return {after.minor - before.minor, after.major - before.major};
}

class NoPageFault : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (test::is_watched) GTEST_SKIP() << "a sanitizer keeps books in memory of its own";
  }
};

void expect_none(const Faults& faults) {
  const Refusal refusal = machine::lock_memory();
  if (refusal && faults.minor + faults.major > 0) {
    GTEST_SKIP() << "touched memory may have been taken away again, since it is not locked: " << *refusal;
  }
  EXPECT_EQ(faults.minor, 0);
  EXPECT_EQ(faults.major, 0);
}

TEST_P(NoPageFault, OnTheHostDevice) { expect_none(faults_of_run(busy_system(strategy_named(GetParam())))); }

TEST_P(NoPageFault, WhenJobsPileUp) {
  System system = busy_system(strategy_named(GetParam()));
  for (std::size_t i = 0; i < 2; ++i) {
    system.tasks[i].period = 150us;
    system.tasks[i].deadline = 10s;
  }
  expect_none(faults_of_run(system));
}

INSTANTIATE_TEST_SUITE_P(Strategy, NoPageFault,
                         testing::Values("as-submitted", "single-stream", "multi-stream", "sm-cores",
                                         "federated"));

}  // namespace
}  // namespace tactus
