// From the start of a run to its end no memory is missing: the engine's thread has no page fault.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>

#include "support/effort.hpp"
#include "support/host_run.hpp"
#include "tactus/device/host/host_device.hpp"
#include "tactus/runtime/executive.hpp"
#include "tactus/runtime/real_time.hpp"
#include "tactus/trace/event_ring.hpp"
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

/// Of the engine's thread, while jobs run.
Faults faults_of_run(const System& system) {
  const std::unique_ptr<device::Device> device = device::make_host_device();
  trace::Statistics statistics{system.tasks.size()};
  const std::array<trace::Observer*, 1> observers{&statistics};
  trace::Relay relay{observers, 1U << 14U};
  const std::array<trace::Observer*, 1> relays{&relay};
  runtime::Options options;
  options.horizon = 100ms;
  options.most_pending = 1024;
  options.watchdog = 10s;
  std::uint64_t misses = 0;
  options.on_miss = [&](const runtime::Incident& /*miss*/) { ++misses; };
  runtime::Executive executive{system, *device, options, relays};
  static_cast<void>(runtime::lock_memory());
  executive.start();
  const Faults before = faults_of_this_thread();
  while (executive.step()) {
  }
  const Faults after = faults_of_this_thread();
  EXPECT_GT(executive.finish().completed, 10U);
  return {after.minor - before.minor, after.major - before.major};
}

class NoPageFault : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (test::is_watched) GTEST_SKIP() << "a sanitizer keeps books in memory of its own";
  }
};

TEST_P(NoPageFault, OnTheHostDevice) {
  const Faults faults = faults_of_run(busy_system(strategy_named(GetParam())));
  const Refusal refusal = runtime::lock_memory();
  if (refusal) std::cout << *refusal << ": " << faults.minor << " minor, " << faults.major << " major\n";
  EXPECT_EQ(faults.minor, 0);
  EXPECT_EQ(faults.major, 0);
}

INSTANTIATE_TEST_SUITE_P(Strategy, NoPageFault,
                         testing::Values("as-submitted", "single-stream", "multi-stream", "sm-cores",
                                         "federated"));

}  // namespace
}  // namespace tactus
