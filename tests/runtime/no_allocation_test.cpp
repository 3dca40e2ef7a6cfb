// From the start of a run to its end the engine's thread allocates nothing.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "support/allocation_count.hpp"
#include "tactus/device/host/host_device.hpp"
#include "tactus/runtime/executive.hpp"
#include "tactus/trace/event_ring.hpp"
#include "tactus/trace/statistics.hpp"

namespace tactus {
namespace {

using namespace std::chrono_literals;

Task kernel_task(const std::string& name, Duration period) {
  Task task;
  task.name = name;
  task.period = period;
  task.deadline = period;
  KernelSegment kernel;
  kernel.grid = {6, 1, 1};
  kernel.block = 32;
  kernel.block_time = Interval::exactly(200us);
  task.work.nodes.push_back({"", kernel});
  return task;
}

System busy_system(StrategyKind strategy) {
  System system;
  system.name = "busy";
  system.platform.gpu.sms = 2;
  system.platform.gpu.threads_per_sm = 64;
  system.platform.clusters = {2};
  system.policy.strategy = strategy;
  system.policy.order = Order::fp;
  system.tasks.push_back(kernel_task("first task", 5ms));
  system.tasks.push_back(kernel_task("second task", 7ms));
  system.tasks[1].budget = 100us;
  system.tasks[1].on_overrun = OnOverrun::skip_next;
  Task background = kernel_task("background", 1ms);
  background.arrival = Arrival::best_effort;
  background.period.reset();
  background.deadline.reset();
  background.preemptible = strategy == StrategyKind::multi_stream;
  system.tasks.push_back(background);
  if (strategy == StrategyKind::sm_cores) {
    system.policy.reservations = Reservations{.period = 3ms, .local = {}, .all = Window{0ms, 3ms}};
  }
  if (strategy == StrategyKind::federated) {
    system.virtual_sms = {2, 2, 0};
    system.tasks[2].work.nodes[0].segment = CpuSegment{Interval::exactly(300us)};
    system.tasks[0].work.form = WorkForm::chain;
    system.tasks[0].work.nodes.push_back({"", CopySegment{Interval::exactly(100us), {}, {}}});
  }
  return system;
}

std::uint64_t allocations_of(const System& system, device::Device& device, Duration length) {
  trace::Statistics statistics{system.tasks.size()};
  const std::array<trace::Observer*, 1> observers{&statistics};
  trace::Relay relay{observers, 1U << 14U};
  const std::array<trace::Observer*, 1> relays{&relay};
  runtime::Options options;
  options.horizon = length;
  options.most_pending = 64;
  options.watchdog = 10s;
  runtime::Executive executive{system, device, options, relays};
  executive.start();
  const std::uint64_t before = *test::allocations_of_this_thread();
  while (executive.step()) {
  }
  const std::uint64_t after = *test::allocations_of_this_thread();
  EXPECT_GT(executive.finish().completed, 10U);
  return after - before;
}

class NoAllocation : public testing::TestWithParam<StrategyKind> {
 protected:
  void SetUp() override {
    const std::optional<std::uint64_t> before = test::allocations_of_this_thread();
    if (!before) GTEST_SKIP() << "a sanitizer has the allocator";
    const std::string text(1000, 'x');
    ASSERT_EQ(test::allocations_of_this_thread(), *before + 1) << "allocations are counted";
  }
};

TEST_P(NoAllocation, OnTheHostDevice) {
  const System system = busy_system(GetParam());
  const std::unique_ptr<device::Device> device = device::make_host_device();
  EXPECT_EQ(allocations_of(system, *device, 100ms), 0U);
}

INSTANTIATE_TEST_SUITE_P(Strategy, NoAllocation,
                         testing::Values(StrategyKind::as_submitted, StrategyKind::single_stream,
                                         StrategyKind::multi_stream, StrategyKind::sm_cores,
                                         StrategyKind::federated));

}  // namespace
}  // namespace tactus
