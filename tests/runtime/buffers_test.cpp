// Typed buffers between the nodes of a job: each job has its own, in whatever order jobs overlap.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "support/host_run.hpp"
#include "support/run_until.hpp"
#include "tactus/base/error.hpp"
#include "tactus/device/host/host_device.hpp"
#include "tactus/model/strategy.hpp"
#include "tactus/runtime/buffers.hpp"
#include "tactus/runtime/runtime.hpp"

namespace tactus::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr std::array<std::string_view, 5> names{"grab", "scale", "pyramid", "back", "classify"};

/// grab, then scale beside pyramid and back, then classify. Frames take longer than the period.
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
  task.max_jobs = 8;
  return system;
}

struct Frame {
  int width = 0;
  std::uint64_t job = 0;
};
struct Level {
  std::array<std::atomic<std::uint64_t>, 4> blocks{};
};

std::string problem_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing is refused";
}

/// A run that ends with the first failure.
std::string failure_of(Runtime& runtime) { return runtime.run_for(1s).outcome.failure; }

TEST(Buffers, CarryDataFromNodeToNode) {
  Runtime runtime{device::make_host_device(plain_host()), camera(1ms)};
  std::atomic<int> made = 0;
  runtime.buffer<Frame>("camera", "grab", Frame{640, 0});
  runtime.buffer<Frame>("camera", "scale", [&] {
    ++made;
    return Frame{320, 0};
  });
  runtime.buffer<std::unique_ptr<Level>>("camera", "pyramid", [] { return std::make_unique<Level>(); });
  runtime.buffer<std::array<std::uint64_t, 4>>("camera", "back");
  std::atomic<int> wrong = 0;
  std::atomic<int> complete = 0;
  runtime.bind("camera", "grab", [&](Job& job) {
    wrong += job.output<Frame>().width == 640 ? 0 : 1;
    job.output<Frame>().job = job.number();
  });
  runtime.bind("camera", "scale", [&](Job& job) {
    wrong += job.output<Frame>().width == 320 ? 0 : 1;
    std::this_thread::sleep_for(std::chrono::microseconds{(job.number() % 5) * 500});
    job.output<Frame>().job = job.input<Frame>("grab").job;
  });
  runtime.bind_blocks("camera", "pyramid", [&](Job& job) {
    const auto block = static_cast<std::size_t>(job.first_block());
    job.output<std::unique_ptr<Level>>()->blocks.at(block) = job.input<Frame>("grab").job + block;
  });
  runtime.bind_copy("camera", "back", [](const Job& job) {
    return MemoryCopy{job.output<std::array<std::uint64_t, 4>>().data(),
                      job.input<std::unique_ptr<Level>>("pyramid")->blocks.data(), 4 * sizeof(std::uint64_t)};
  });
  runtime.bind("camera", "classify", [&](Job& job) {
    const auto& copied = job.input<std::array<std::uint64_t, 4>>("back");
    bool is_right = job.input<Frame>("grab").job == job.number();  // an ancestor, not the node before
    is_right = is_right && job.input<Frame>("scale").job == job.number();
    for (std::size_t i = 0; i < copied.size(); ++i) is_right = is_right && copied.at(i) == job.number() + i;
    ++(is_right ? complete : wrong);
  });
  const RunReport report = run_until_completed(runtime, 20);
  EXPECT_EQ(report.outcome.failure, "");
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(complete, 0);
  EXPECT_EQ(static_cast<std::uint64_t>(complete), report.outcome.completed);
  EXPECT_EQ(made, 8) << "one for each job that may be in progress, and none during the run";
}

TEST(Buffers, NoTwoJobsInProgressHaveTheSame) {
  Runtime runtime{device::make_host_device(plain_host()), camera(1ms)};
  runtime.buffer<int>("camera", "grab");
  std::mutex mutex;
  std::map<const int*, std::uint64_t> in_use;
  std::set<const int*> seen;
  int shared = 0;
  int done = 0;
  runtime.bind("camera", "grab", [&](Job& job) {
    const std::lock_guard lock{mutex};
    shared += in_use.emplace(&job.output<int>(), job.number()).second ? 0 : 1;
    seen.insert(&job.output<int>());
  });
  runtime.bind("camera", "classify", [&](Job& job) {
    std::this_thread::sleep_for(4ms);  // jobs pile up
    const std::lock_guard lock{mutex};
    const auto found = in_use.find(&job.input<int>("grab"));
    shared += found != in_use.end() && found->second == job.number() ? 0 : 1;
    in_use.erase(found);
    ++done;
  });
  const RunReport report = run_until(runtime, [&] {
    const std::lock_guard lock{mutex};
    return seen.size() > 1 && done >= 20;
  });
  EXPECT_EQ(report.outcome.failure, "");
  EXPECT_EQ(shared, 0);
  EXPECT_GT(seen.size(), 1U) << "jobs overlap";
  EXPECT_LE(seen.size(), 8U);
  const trace::TaskTally& tally = report.outcome.tasks[0];
  EXPECT_EQ(tally.released, tally.completed + tally.full + tally.pending);
}

TEST(Buffers, OfAChainAreNamedByPlace) {
  System system = small_host_system();
  system.policy.strategy = strategy_named("federated");
  system.policy.order = Order::fp;
  Task& task = add_task(system, "chain", {host_cpu(1ms), host_cpu(1ms)});
  task.arrival = Arrival::periodic;
  task.period = 10ms;
  task.deadline = 10ms;
  Runtime runtime{device::make_host_device(plain_host()), system};
  runtime.buffer<std::uint64_t>("chain", 0);
  runtime.bind("chain", 0, [](Job& job) { job.output<std::uint64_t>() = job.number(); });
  std::atomic<int> wrong = 0;
  runtime.bind("chain", 1, [&](Job& job) { wrong += job.input<std::uint64_t>(0) == job.number() ? 0 : 1; });
  const RunReport report = run_until_completed(runtime, 3);
  EXPECT_EQ(report.outcome.failure, "");
  EXPECT_GT(report.outcome.completed, 2U);
  EXPECT_EQ(wrong, 0);
}

TEST(Buffers, ThatAreAskedForWronglyEndTheRun) {
  const auto failure_with = [](const WorkOfJob& of_scale) {
    Runtime runtime{device::make_host_device(plain_host()), camera(1ms)};
    runtime.buffer<Frame>("camera", "grab");
    runtime.buffer<Frame>("camera", "pyramid");
    runtime.bind("camera", "scale", of_scale);
    return failure_of(runtime);
  };
  // Jobs overlap: which of them fails first is not said.
  EXPECT_THAT(
      failure_with([](Job& job) { static_cast<void>(job.input<int>("grab")); }),
      testing::ContainsRegex("task 'camera', job [0-9]+, segment 1: the buffer of node 'grab' is of type "
                             "tactus::test::.anonymous namespace.::Frame, not int"));
  EXPECT_THAT(
      failure_with([](Job& job) { static_cast<void>(job.input<Frame>("grap")); }),
      testing::ContainsRegex("job [0-9]+, segment 1: there is no node 'grap'; did you mean 'grab'.$"));
  EXPECT_THAT(failure_with([](Job& job) { static_cast<void>(job.input<Frame>("pyramid")); }),
              HasSubstr("node 'scale' reads the buffer of node 'pyramid', but no path of edges leads from "
                        "there: it may not be filled yet"));
  EXPECT_THAT(failure_with([](Job& job) { static_cast<void>(job.input<Frame>("scale")); }),
              HasSubstr("node 'scale' reads the buffer of node 'scale'"));
  EXPECT_THAT(failure_with([](Job& job) { static_cast<void>(job.output<Frame>()); }),
              HasSubstr("node 'scale' has no buffer: declare it before the run"));
}

TEST(Buffers, OfATaskWithoutAnyEndTheRun) {
  Runtime runtime{device::make_host_device(plain_host()), camera(1ms)};
  runtime.bind("camera", "grab", [](Job& job) { ++job.output<int>(); });
  EXPECT_THAT(failure_of(runtime), HasSubstr("its task has no buffers: declare them before the run"));
}

TEST(Buffers, ThatCannotBeDeclaredAreRefused) {
  Runtime runtime{device::make_host_device(plain_host()), camera(1ms)};
  EXPECT_THAT(problem_of([&] { runtime.buffer<int>("camara", "grab"); }), HasSubstr("camara"));
  EXPECT_THAT(problem_of([&] { runtime.buffer<int>("camera", "grap"); }), HasSubstr("did you mean 'grab'?"));
  EXPECT_THAT(problem_of([&] { runtime.buffer<int>("camera", 7); }), HasSubstr("has no segment 7"));
}

TEST(Buffers, AreRefusedWhereNobodyKnowsHowMany) {
  System system = camera(1ms);
  system.tasks[0].max_jobs.reset();
  system.tasks[0].period = 1ms;  // more than the cores can do
  Runtime runtime{device::make_host_device(plain_host()), system};
  runtime.buffer<int>("camera", "grab");
  EXPECT_THAT(
      problem_of([&] { runtime.start(1ms); }),
      testing::AllOf(HasSubstr("nobody knows how many jobs of task 'camera'"), HasSubstr("max_jobs")));
}

TEST(Buffers, FollowFromTheBound) {
  Task task;
  task.name = "a";
  task.period = 10ms;
  EXPECT_EQ(runtime::places_for(task, 9ms, false), 2U);
  EXPECT_EQ(runtime::places_for(task, 10ms, false), 3U) << "released when the other may just be ending";
  EXPECT_EQ(runtime::places_for(task, 35ms, false), 5U);
  task.max_jobs = 7;
  EXPECT_EQ(runtime::places_for(task, 35ms, false), 7U);
  task.max_jobs.reset();
  task.period.reset();
  task.arrival = Arrival::best_effort;
  EXPECT_EQ(runtime::places_for(task, {}, false), 1U);
}

TEST(Buffers, OfFunctionsThatDoNotReturnStay) {
  device::HostOptions options = plain_host();
  options.patience = 1ms;
  auto gone = std::make_shared<std::atomic<int>>(0);
  std::atomic<bool> begun = false;
  std::atomic<bool> go = false;
  std::atomic<bool> done = false;
  struct Noted {
    std::shared_ptr<std::atomic<int>> gone;
    int value = 0;
    ~Noted() {
      if (gone) ++*gone;
    }
  };
  {
    System system = camera(1ms);
    system.tasks[0].max_jobs = 1;
    Runtime runtime{device::make_host_device(options), system};
    runtime.buffer<std::shared_ptr<Noted>>("camera", "grab", [&] {
      auto noted = std::make_shared<Noted>();
      noted->gone = gone;
      return noted;
    });
    runtime.bind("camera", "grab", [&](Job& job) {
      const std::shared_ptr<Noted>& own = job.output<std::shared_ptr<Noted>>();
      begun = true;
      while (!go) std::this_thread::sleep_for(1ms);
      own->value = 1;
      done = true;
    });
    const RunReport report = run_until(runtime, [&] { return begun.load(); });
    EXPECT_NE(report.outcome.failure, "");
  }
  EXPECT_EQ(*gone, 0);
  go = true;
  while (!done) std::this_thread::sleep_for(1ms);
}

}  // namespace
}  // namespace tactus::test
