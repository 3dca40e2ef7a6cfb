// The strategy `graph` on the host device: nodes of overlapping jobs, functions bound by the names of nodes,
// and what is promised where functions are not preempted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "support/host_run.hpp"
#include "support/run_until.hpp"
#include "tactus/analysis/graph_timing.hpp"
#include "tactus/base/error.hpp"
#include "tactus/device/host/host_device.hpp"
#include "tactus/device/sim/sim_device.hpp"
#include "tactus/model/strategy.hpp"
#include "tactus/runtime/opaque_work.hpp"
#include "tactus/runtime/runtime.hpp"

namespace tactus::test {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;

constexpr std::array<std::string_view, 5> names{"grab", "scale", "pyramid", "back", "classify"};

/// A frame that takes longer than its period. scale, and pyramid with the copy behind it, side by side.
System camera(Duration unit) {
  System system = small_host_system();
  system.policy.strategy = strategy_named("graph");
  Task& task =
      add_task(system, "camera",
               {host_cpu(unit), host_cpu(2 * unit), host_kernel(4, unit), host_copy(unit), host_cpu(unit)});
  for (std::size_t i = 0; i < names.size(); ++i) task.work.nodes[i].name = names[i];
  task.arrival = Arrival::periodic;
  task.period = 3 * unit;
  task.deadline = 1000 * unit;
  task.work.form = WorkForm::graph;
  task.work.edges = {{0, 1}, {0, 2}, {2, 3}, {1, 4}, {3, 4}};
  return system;
}

/// What was called for each job, in order.
class Calls {
 public:
  void note(const Job& job, std::string_view node) {
    const std::lock_guard lock{mutex_};
    jobs_[job.number()].emplace_back(node);
  }
  [[nodiscard]] std::map<std::uint64_t, std::vector<std::string>> all() const { return jobs_; }

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, std::vector<std::string>> jobs_;
};

std::size_t place_of(const std::vector<std::string>& calls, std::string_view name) {
  return static_cast<std::size_t>(std::find(calls.begin(), calls.end(), name) - calls.begin());
}

TEST(GraphStrategy, RunsEveryNodeOnceAndInOrder) {
  Calls calls;
  Runtime runtime{device::make_host_device(), camera(1ms)};
  for (const std::string_view name : {"grab", "scale", "classify"}) {
    runtime.bind("camera", name, [&calls, name](Job& job) {
      calls.note(job, name);
      if (name == "scale" && job.number() % 4 == 0) std::this_thread::sleep_for(8ms);  // jobs overlap
    });
  }
  runtime.bind_blocks("camera", "pyramid", [&calls](Job& job) {
    if (job.first_block() == 0) calls.note(job, "pyramid");
  });
  const RunReport report = run_until_completed(runtime, 10);
  EXPECT_EQ(report.outcome.failure, "");
  std::uint64_t whole = 0;
  for (const auto& [number, made] : calls.all()) {
    if (made.size() < 4) continue;  // on its way when the run ended
    ++whole;
    ASSERT_EQ(made.size(), 4U) << "job " << number;
    EXPECT_EQ(place_of(made, "grab"), 0U);
    EXPECT_EQ(place_of(made, "classify"), 3U);
    EXPECT_LT(place_of(made, "scale"), 3U);
    EXPECT_LT(place_of(made, "pyramid"), 3U);
  }
  EXPECT_GE(whole, report.outcome.completed);
  EXPECT_GT(report.outcome.completed, 0U);
}

TEST(GraphStrategy, UnknownNodesAreRefusedWithTheNearest) {
  Runtime runtime{device::make_host_device(), camera(1ms)};
  try {
    runtime.bind("camera", "scal", [](Job&) {});
    FAIL() << "there is no such node";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("task 'camera' has no node 'scal'"));
    EXPECT_THAT(error.problems().front().hint, HasSubstr("did you mean 'scale'?"));
  }
}

System without_preemption(System system) {
  system.policy.cpu.emplace().preemptive = false;
  return system;
}

/// Functions that nobody preempts have the bounds, the releases and the priority points of nodes that run to
/// their end.
TEST(GraphStrategy, FunctionsThatAreNotPreemptedHaveBoundsOfTheirOwn) {
  const System preemptive = camera(1ms);
  const auto bound_of = [](const System& system) {
    return analysis::end_to_end(analysis::graph_timing(system).tasks.front());
  };
  ASSERT_LT(bound_of(preemptive), bound_of(without_preemption(preemptive)));
  Runtime runtime{device::make_host_device({.real_time = false}), preemptive};
  EXPECT_EQ(runtime.bounds().front(), bound_of(preemptive)) << "work that is not bound gives way";
  runtime.bind("camera", "scale", [](Job&) {});
  EXPECT_EQ(runtime.bounds().front(), bound_of(without_preemption(preemptive)));
  const RunReport report = runtime.run_for(20ms);
  EXPECT_EQ(report.bounds.front(), bound_of(without_preemption(preemptive)));
  EXPECT_THAT(report.outcome.not_enforced, Contains(HasSubstr("preemption of CPU nodes")));
  EXPECT_FALSE(cpu_policy(report.system.policy).preemptive) << "the report says what was run";
  Runtime simulated{std::make_unique<device::SimDevice>(), preemptive};
  simulated.bind("camera", "scale", [](Job&) {});
  EXPECT_EQ(simulated.bounds().front(), bound_of(preemptive));
}

/// Kernels are not preempted anyway, so one that a function launches is what its node declares.
TEST(GraphStrategy, LaunchedKernelsAreWhatTheyDeclare) {
  const System system = camera(1ms);
  device::Bindings bindings{std::vector<device::Binding>(names.size())};
  bindings.front()[2] = {.kind = device::Binding::Kind::calls, .work = [](Job&) {}};
  const runtime::BoundSystem bound = runtime::as_bound(system, bindings);
  EXPECT_EQ(bound.system, system);
  EXPECT_THAT(bound.opaque, testing::IsEmpty());
}

}  // namespace
}  // namespace tactus::test
