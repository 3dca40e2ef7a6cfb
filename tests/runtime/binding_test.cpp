// What may be bound to what.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>

#include "support/host_run.hpp"
#include "tactus/runtime/runtime.hpp"

namespace tactus {
namespace {

using namespace std::chrono_literals;

/// A job of three segments, once.
System chain() {
  System system = test::small_host_system();
  system.policy.strategy = StrategyKind::federated;
  system.policy.order = Order::fp;
  system.virtual_sms = {2};
  Task& task = test::add_task(system, "chain",
                              {test::host_cpu(10us), test::host_copy(10us), test::host_kernel(2, 10us)});
  task.deadline = 10s;
  return system;
}

RuntimeOptions plain() {
  RuntimeOptions options;
  options.real_time = false;
  return options;
}

/// Runs until the job is done.
RunReport run_once(Runtime& runtime) {
  runtime.start(60s);
  while (runtime.step()) {
    if (runtime.statistics().at(0).completed > 0) runtime.stop();
  }
  return runtime.finish();
}

TEST(Binding, ASegmentsOwnFunctionComesBeforeThatOfItsTaskInAnyOrder) {
  for (const bool own_first : {false, true}) {
    Runtime runtime{device::make_host_device(test::plain_host()), chain(), plain()};
    std::atomic<int> own{0};
    std::atomic<int> all{0};
    if (own_first) runtime.bind("chain", 1, [&](Job& /*job*/) { ++own; });
    runtime.bind("chain", [&](Job& /*job*/) { ++all; });
    if (!own_first) runtime.bind("chain", 1, [&](Job& /*job*/) { ++own; });
    run_once(runtime);
    EXPECT_EQ(own, 1) << own_first;
    EXPECT_EQ(all, 2) << own_first;
  }
}

}  // namespace
}  // namespace tactus
