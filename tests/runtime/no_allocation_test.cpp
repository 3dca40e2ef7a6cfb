// From the start of a run to its end the engine's thread allocates nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "support/allocation_count.hpp"
#include "tactus/device/host/host_device.hpp"
#include "tactus/runtime/executive.hpp"
#include "tactus/trace/relay.hpp"
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

System busy_system(StrategyRef strategy) {
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
  background.preemptible = strategy == strategy_named("multi-stream");
  system.tasks.push_back(background);
  if (strategy == strategy_named("sm-cores")) {
    system.policy.reservations = Reservations{.period = 3ms, .local = {}, .all = Window{0ms, 3ms}};
  }
  if (strategy == strategy_named("federated")) {
    system.virtual_sms = {2, 2, 0};
    system.tasks[2].work.nodes[0].segment = CpuSegment{Interval::exactly(300us)};
    system.tasks[0].work.form = WorkForm::chain;
    system.tasks[0].work.nodes.push_back({"", CopySegment{Interval::exactly(100us), {}, {}}});
  }
  return system;
}

/// Deadlines longer than periods, a task that is released by call, and jobs that are seen late.
System long_deadlines() {
  System system = busy_system(strategy_named("single-stream"));
  system.tasks.pop_back();
  for (Task& task : system.tasks) {
    task.period = 300us;
    task.deadline = 10s;
    task.budget.reset();
    std::get<KernelSegment>(task.work.nodes[0].segment).block_time = Interval::exactly(20us);
  }
  system.tasks[0].arrival = Arrival::sporadic;
  system.tasks[1].jitter = 1ms;
  return system;
}

std::uint64_t allocations_of(const System& system, device::Device& device, Duration length,
                             bool released_by_call = false) {
  trace::Statistics statistics{system.tasks.size()};
  const std::array<trace::Observer*, 1> observers{&statistics};
  trace::Relay relay{observers, 1U << 14U};
  const std::array<trace::Observer*, 1> relays{&relay};
  runtime::ExecutiveOptions options;
  options.horizon = length;
  options.max_pending = 64;
  options.watchdog = 10s;
  std::uint64_t misses = 0;
  options.on_miss = [&](const runtime::Incident& /*miss*/) { ++misses; };
  options.sporadic_by_call = released_by_call;
  runtime::Executive executive{system, device, options, relays};
  executive.start();
  const std::uint64_t before = *test::allocations_of_this_thread();
  while (executive.step()) {
    if (released_by_call) executive.release(0);
  }
  const std::uint64_t after = *test::allocations_of_this_thread();
  EXPECT_GT(executive.finish().completed, 10U);
  return after - before;
}

class NoAllocationHere : public testing::Test {
 protected:
  void SetUp() override {
    const std::optional<std::uint64_t> before = test::allocations_of_this_thread();
    if (!before) GTEST_SKIP() << "a sanitizer has the allocator";
    const std::string text(1000, 'x');
    ASSERT_EQ(test::allocations_of_this_thread(), *before + 1) << "allocations are counted";
  }
};

class NoAllocation : public NoAllocationHere, public testing::WithParamInterface<const char*> {};

/// Ends everything at once, and its clock jumps by 100 ms now and then.
class Jumping final : public device::Device {
 public:
  [[nodiscard]] sched::Capabilities capabilities(const System& /*system*/) const override {
    return {.engine = "a device that jumps"};
  }
  void open(const device::Setup& /*setup*/) override { done_.reserve(1024); }
  [[nodiscard]] Time now() noexcept override { return now_; }
  void wait(Time until) override {
    if (!done_.empty()) return;
    now_ = std::max(now_, until);
    if (++waits_ % 20 != 0) return;
    now_ += 100ms;
    ++jumps;
  }
  void poll(sched::Events& events) override {
    for (const sched::SubmissionId& submission : done_) events.emplace_back(sched::Finished{submission});
    done_.clear();
  }
  void submit(const device::Request& request) override { done_.push_back(request.id); }
  void request_stop(sched::SubmissionId /*operation*/) override {}
  Time job_over(sched::JobId /*job*/) noexcept override { return now_; }
  void close() override {}

  int jumps = 0;

 private:
  Time now_ = origin;
  int waits_ = 0;
  std::vector<sched::SubmissionId> done_;
};

TEST_P(NoAllocation, OnTheHostDevice) {
  const System system = busy_system(strategy_named(GetParam()));
  const std::unique_ptr<device::Device> device = device::make_host_device();
  EXPECT_EQ(allocations_of(system, *device, 100ms), 0U);
}

TEST_P(NoAllocation, WithOneSubmissionAtATime) {
  System system = busy_system(strategy_named(GetParam()));
  system.platform.overheads.engine = {1us, 5us};
  const std::unique_ptr<device::Device> device = device::make_host_device();
  EXPECT_EQ(allocations_of(system, *device, 100ms), 0U);
}

TEST_F(NoAllocationHere, WithDeadlinesLongerThanPeriodsAndReleasesByCall) {
  const std::unique_ptr<device::Device> device = device::make_host_device();
  EXPECT_EQ(allocations_of(long_deadlines(), *device, 200ms, true), 0U);
}

TEST_F(NoAllocationHere, AfterADelayWithManyReleasesAtOnce) {
  // The clock of a simulated device jumps; the engine finds far more releases than it has room for.
  System system = long_deadlines();
  system.tasks[0].arrival = Arrival::periodic;
  for (Task& task : system.tasks) task.deadline = 1ms;
  Jumping device;
  EXPECT_EQ(allocations_of(system, device, 400ms), 0U);
  EXPECT_GE(device.jumps, 3);
}

INSTANTIATE_TEST_SUITE_P(Strategy, NoAllocation,
                         testing::Values("as-submitted", "single-stream", "multi-stream", "sm-cores",
                                         "federated"));

}  // namespace
}  // namespace tactus
