// Results of jobs: in the order of jobs or as they complete, with the buffers of their jobs; and what happens
// when too many jobs of a task are in progress.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/allocation_count.hpp"
#include "support/dice.hpp"
#include "support/host_run.hpp"
#include "support/run_until.hpp"
#include "tactus/base/error.hpp"
#include "tactus/device/host/host_device.hpp"
#include "tactus/model/strategy.hpp"
#include "tactus/runtime/executive.hpp"
#include "tactus/runtime/results.hpp"
#include "tactus/runtime/runtime.hpp"

namespace tactus::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// Two cores, and nodes that overlap with those of other jobs.
System camera(std::int64_t max_jobs, OnFull on_full = OnFull::drop_newest) {
  System system = small_host_system();
  system.policy.strategy = strategy_named("graph");
  Task& task = add_task(system, "camera", {host_cpu(200us), host_cpu(200us)});
  task.work.nodes[0].name = "grab";
  task.work.nodes[1].name = "classify";
  task.work.form = WorkForm::graph;
  task.work.edges = {{0, 1}};
  task.arrival = Arrival::periodic;
  task.period = 1ms;
  task.deadline = 10s;
  task.max_jobs = max_jobs;
  task.on_full = on_full;
  return system;
}

/// Every third job takes as long as two others.
void bind_uneven(Runtime& runtime) {
  runtime.buffer<std::uint64_t>("camera", "grab");
  runtime.buffer<std::uint64_t>("camera", "classify");
  runtime.bind("camera", "grab", [](Job& job) { job.output<std::uint64_t>() = job.number(); });
  runtime.bind("camera", "classify", [](Job& job) {
    if (job.number() % 3 == 0) std::this_thread::sleep_for(3ms);
    job.output<std::uint64_t>() = 1000 + job.input<std::uint64_t>("grab");
  });
}

struct Told {
  std::vector<std::uint64_t> numbers;
  int wrong = 0;

  OnResult function(Duration takes = {}) {
    return [this, takes](const Job& job) {
      numbers.push_back(job.number());
      wrong += job.input<std::uint64_t>("classify") == 1000 + job.number() ? 0 : 1;
      if (takes > Duration{}) std::this_thread::sleep_for(takes);
      wrong += job.input<std::uint64_t>("grab") == job.number() ? 0 : 1;
    };
  }
};

TEST(Results, ComeInTheOrderOfJobs) {
  Runtime runtime{device::make_host_device(plain_host()), camera(8)};
  bind_uneven(runtime);
  Told told;
  runtime.on_result("camera", told.function());
  const RunReport report = run_until_completed(runtime, 30);
  EXPECT_EQ(report.outcome.failure, "");
  EXPECT_TRUE(std::is_sorted(told.numbers.begin(), told.numbers.end()));
  EXPECT_EQ(told.numbers.size(), report.outcome.completed) << "each once, none lost";
  EXPECT_GT(told.numbers.size(), 10U);
  EXPECT_EQ(told.wrong, 0);
}

TEST(Results, ComeAsJobsCompleteIfAsked) {
  Runtime runtime{device::make_host_device(plain_host()), camera(8)};
  bind_uneven(runtime);
  Told told;
  runtime.on_result("camera", told.function(), ResultOrder::of_completion);
  const RunReport report = run_until_completed(runtime, 30);
  EXPECT_EQ(told.numbers.size(), report.outcome.completed);
  EXPECT_EQ(told.wrong, 0);
  std::sort(told.numbers.begin(), told.numbers.end());
  EXPECT_EQ(std::adjacent_find(told.numbers.begin(), told.numbers.end()), told.numbers.end());
}

TEST(Results, ASlowReaderTurnsJobsAwayAndLosesNoBuffer) {
  Runtime runtime{device::make_host_device(plain_host()), camera(3)};
  bind_uneven(runtime);
  Told told;
  runtime.on_result("camera", told.function(5ms));
  const RunReport report = run_until_completed(runtime, 5, 1);
  const trace::TaskTally& tally = report.outcome.tasks[0];
  EXPECT_GT(tally.full, 0U);
  EXPECT_EQ(tally.released, tally.completed + tally.full + tally.pending);
  EXPECT_EQ(told.numbers.size(), tally.completed);
  EXPECT_TRUE(std::is_sorted(told.numbers.begin(), told.numbers.end()));
  EXPECT_EQ(told.wrong, 0);
  EXPECT_EQ(report.misses, 0U) << "what is turned away as the file asks misses nothing";
  EXPECT_EQ(report.tasks[0].full, tally.full);
}

TEST(Results, WhatAFunctionThrowsEndsTheRunAndIsRethrown) {
  Runtime runtime{device::make_host_device(plain_host()), camera(8)};
  bind_uneven(runtime);
  std::atomic<int> calls = 0;
  runtime.on_result("camera", [&](const Job& job) {
    ++calls;
    if (job.number() >= 2) throw std::runtime_error{"no more"};
  });
  EXPECT_THROW(static_cast<void>(runtime.run_for(60s)), std::runtime_error);
  EXPECT_EQ(calls, 3);
  Told told;
  runtime.on_result("camera", told.function());
  EXPECT_EQ(runtime.run_for(20ms).outcome.failure, "") << "the next run is a run like any other";
}

TEST(Results, ThatCannotBeToldAreRefused) {
  const auto problem_with = [](const std::function<void(Task&)>& change) -> std::string {
    System system = camera(4);
    change(system.tasks[0]);
    Runtime runtime{device::make_host_device(plain_host()), system};
    runtime.on_result("camera", [](const Job&) {});
    try {
      runtime.start(1ms);
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_THAT(problem_with([](Task& task) { task.jitter = 2ms; }), HasSubstr("ResultOrder::of_completion"));
  EXPECT_THAT(problem_with([](Task& task) {
                task.max_jobs.reset();
                task.period = 100us;
              }),
              HasSubstr("nobody knows how many jobs of task 'camera'"));
  Runtime runtime{device::make_host_device(plain_host()), camera(4)};
  EXPECT_THROW(runtime.on_result("camara", [](const Job&) {}), InputError);
}

/// Completions in a random order, from a thread that plays the engine.
TEST(Results, AreInOrderWhateverTheOrderOfCompletions) {
  constexpr std::uint32_t places = 6;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Told told;
    std::vector<runtime::Results::OfTask> tasks(1);
    tasks[0].plan.function = [&](const Job& job) { told.numbers.push_back(job.number()); };
    tasks[0].name = "camera";
    tasks[0].places = places;
    runtime::Results results{tasks};
    std::vector<std::uint32_t> free;
    for (std::uint32_t place = 0; place < places; ++place) free.push_back(place);
    std::vector<runtime::CompletedJob> in_progress;
    Dice dice{seed};
    std::uint64_t next = 0;
    std::uint64_t completed = 0;
    while (completed < 300) {
      while (const auto freed = results.take_freed()) {
        EXPECT_EQ(std::count(free.begin(), free.end(), freed->place), 0) << "given back twice";
        free.push_back(freed->place);
      }
      if (!free.empty() && dice.percent(60)) {
        in_progress.push_back({.task = 0, .number = next++, .place = free.back()});
        free.pop_back();
      } else if (!in_progress.empty()) {
        const auto which = in_progress.begin() + dice.between(0, std::ssize(in_progress) - 1);
        if (dice.percent(80)) {
          results.add(*which);
          ++completed;
        } else {
          free.push_back(which->place);  // given up
        }
        in_progress.erase(which);
        std::uint64_t oldest = next;
        for (const runtime::CompletedJob& job : in_progress) oldest = std::min(oldest, job.number);
        results.set_oldest(0, oldest);
      }
    }
    EXPECT_EQ(results.finish(), nullptr);
    EXPECT_EQ(told.numbers.size(), completed);
    EXPECT_TRUE(std::is_sorted(told.numbers.begin(), told.numbers.end())) << "seed " << seed;
  }
}

TEST(BackPressure, WhoReleasesWaitsWhereTheTaskSaysSo) {
  System system = camera(2, OnFull::block);
  system.tasks[0].arrival = Arrival::sporadic;
  system.tasks[0].period = 1us;
  Runtime runtime{device::make_host_device(plain_host()), system};
  std::atomic<int> in_progress = 0;
  std::atomic<int> most = 0;
  runtime.bind("camera", "grab", [&](Job&) {
    const int now = ++in_progress;
    int seen = most.load();
    while (now > seen && !most.compare_exchange_weak(seen, now)) {
    }
  });
  runtime.bind("camera", "classify", [&](Job&) {
    std::this_thread::sleep_for(2ms);
    --in_progress;
  });
  std::atomic<std::uint64_t> released = 0;
  std::thread source{[&] {
    while (!runtime.release("camera")) std::this_thread::sleep_for(1ms);  // the run has not begun yet
    ++released;
    while (released < 20) released += runtime.release("camera") ? 1U : 0U;
    runtime.stop();
  }};
  const RunReport report = runtime.run_for(60s);
  source.join();
  const trace::TaskTally& tally = report.outcome.tasks[0];
  EXPECT_EQ(tally.released, released);
  EXPECT_EQ(tally.full, 0U) << "nobody is turned away";
  EXPECT_EQ(tally.released, tally.completed + tally.pending);
  EXPECT_LE(most, 2);
}

TEST(BackPressure, AStopEndsTheWait) {
  System system = camera(1, OnFull::block);
  system.tasks[0].arrival = Arrival::sporadic;
  Runtime runtime{device::make_host_device(plain_host()), system};
  std::atomic<bool> go = false;
  runtime.bind("camera", "grab", [&](Job& job) {
    while (!go && !job.stop_requested()) std::this_thread::sleep_for(1ms);
  });
  std::atomic<int> refused = 0;
  std::vector<std::thread> sources;
  std::thread first{[&] {
    while (!runtime.release("camera")) std::this_thread::sleep_for(1ms);
    for (int i = 0; i < 3; ++i) {
      sources.emplace_back([&] { refused += runtime.release("camera") ? 0 : 1; });
    }
    std::this_thread::sleep_for(20ms);
    runtime.stop();
  }};
  static_cast<void>(runtime.run_for(60s));
  first.join();
  for (std::thread& source : sources) source.join();
  EXPECT_EQ(refused, 3);
}

TEST(BackPressure, WaitsForTheReaderOfResultsToo) {
  System system = camera(2, OnFull::block);
  system.tasks[0].arrival = Arrival::sporadic;
  system.tasks[0].period = 1us;
  Runtime runtime{device::make_host_device(plain_host()), system};
  bind_uneven(runtime);
  Told told;
  runtime.on_result("camera", told.function(1ms));
  std::thread source{[&] {
    for (int i = 0; i < 16; ++i) {
      while (!runtime.release("camera")) std::this_thread::sleep_for(100us);  // not begun, or too soon
    }
    runtime.stop();
  }};
  const RunReport report = runtime.run_for(60s);
  source.join();
  EXPECT_EQ(report.outcome.tasks[0].released, 16U);
  EXPECT_EQ(report.outcome.tasks[0].full, 0U);
  EXPECT_EQ(told.numbers.size(), report.outcome.completed);
  EXPECT_TRUE(std::is_sorted(told.numbers.begin(), told.numbers.end()));
  EXPECT_EQ(told.wrong, 0);
}

TEST(BackPressure, TheOldestFrameGivesWayToTheNewest) {
  System system = camera(3, OnFull::drop_oldest);
  system.policy.cpu.emplace().preemptive = false;  // functions wait for a core; those that do can give way
  Runtime runtime{device::make_host_device(plain_host()), system};
  runtime.buffer<std::uint64_t>("camera", "grab");
  std::vector<std::uint64_t> told;
  runtime.bind("camera", "grab", [](Job& job) {
    job.output<std::uint64_t>() = job.number();
    std::this_thread::sleep_for(4ms);
  });
  runtime.on_result("camera", [&](const Job& job) { told.push_back(job.input<std::uint64_t>("grab")); });
  const RunReport report = run_until_completed(runtime, 5, 1);
  const trace::TaskTally& tally = report.outcome.tasks[0];
  EXPECT_EQ(report.outcome.failure, "");
  EXPECT_GT(tally.full, 0U);
  EXPECT_EQ(tally.released, tally.completed + tally.full + tally.pending);
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_EQ(told.size(), tally.completed);
}

TEST(BackPressure, NothingIsAllocatedOnTheWayOfAJob) {
  if (!allocations_of_this_thread()) GTEST_SKIP() << "a sanitizer has the allocator";
  System system = camera(2, OnFull::drop_oldest);
  Runtime runtime{device::make_host_device(plain_host()), system};
  std::atomic<std::uint64_t> of_functions = 0;
  const auto counted = [&](Job& job, const std::function<void(Job&)>& work) {
    const std::uint64_t before = *allocations_of_this_thread();
    work(job);
    of_functions += *allocations_of_this_thread() - before;
  };
  runtime.buffer<std::uint64_t>("camera", "grab");
  runtime.bind("camera", "grab", [&](Job& job) {
    counted(job, [](Job& own) { own.output<std::uint64_t>() = own.number(); });
    std::this_thread::sleep_for(2ms);
  });
  runtime.bind("camera", "classify", [&](Job& job) {
    counted(job, [](Job& own) { static_cast<void>(own.input<std::uint64_t>("grab")); });
  });
  std::atomic<std::uint64_t> results = 0;
  runtime.on_result("camera", [&](const Job&) { ++results; });
  runtime.start(100ms);
  const std::uint64_t before = *allocations_of_this_thread();
  while (runtime.step()) {
  }
  const std::uint64_t after = *allocations_of_this_thread();
  const RunReport report = runtime.finish();
  EXPECT_EQ(after - before, 0U);
  EXPECT_EQ(of_functions, 0U);
  EXPECT_GT(report.outcome.tasks[0].full, 0U);
  EXPECT_EQ(results, report.outcome.completed);
}

}  // namespace
}  // namespace tactus::test
