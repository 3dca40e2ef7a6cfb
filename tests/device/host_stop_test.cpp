// The host device asked to stop: one segment at any instant, or everything.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/dice.hpp"
#include "support/host_run.hpp"

namespace tactus::test {
namespace {

using namespace std::chrono_literals;
using testing::Each;
using testing::IsEmpty;

/// A function that runs until it may go on, or is asked to stop.
struct Gate {
  std::function<void(Job&)> work() {
    return [this](Job& job) {
      ++inside;
      while (!open.load() && !job.stop_requested()) std::this_thread::sleep_for(20us);
      if (job.stop_requested()) ++asked;
    };
  }
  std::atomic<int> inside{0};
  std::atomic<int> asked{0};
  std::atomic<bool> open{false};
};

TEST(HostStop, WhatWaitsInItsStreamIsWithdrawn) {
  System system = small_host_system();
  add_task(system, "first", {host_exclusive(1us)});
  add_task(system, "second", {host_kernel(4, 10us), host_copy(10us), host_exclusive(10us)});
  Gate gate;
  HostRun run{system, {{bound_function(gate.work())}}};
  run.open();
  const HostRun::Place stream{.stream = 2};
  const sched::SubmissionId first = run.submit(0, 0, 0, stream);
  std::vector<sched::SubmissionId> waiting;
  for (std::uint32_t segment = 0; segment < 3; ++segment) {
    waiting.push_back(run.submit(1, 1, segment, stream));
  }
  const sched::SubmissionId behind = run.submit(1, 2, 0, stream);
  ASSERT_TRUE(run.pump([&] { return gate.inside.load() == 1; }));
  for (const sched::SubmissionId& submission : waiting) run.device->request_stop(submission);
  for (const sched::SubmissionId& submission : waiting) {
    ASSERT_TRUE(run.pump_until_heard_of(submission));
    EXPECT_EQ(run.heard_of(submission), "stopped");
    EXPECT_EQ(run.progress_of(submission), Duration{});
  }
  EXPECT_EQ(run.device->job_over({1, 0}), never);
  EXPECT_EQ(run.heard_of(first), "");
  gate.open = true;
  ASSERT_TRUE(run.pump_until_heard_of(behind));
  EXPECT_EQ(run.heard_of(first), "finished");
  EXPECT_EQ(run.heard_of(behind), "finished");
}

TEST(HostStop, WhatWaitsForAnSmIsWithdrawn) {
  System system = small_host_system();
  add_task(system, "first", {host_exclusive(1us)});
  add_task(system, "second", {host_kernel(4, 10us)});
  Gate gate;
  HostRun run{system, {{bound_function(gate.work())}}};
  for (const bool dedicated : {false, true}) {
    gate.open = false;
    gate.inside = 0;
    run.events.clear();
    run.open({}, 0, dedicated);
    const sched::SubmissionId first = run.submit(0, 0);
    const sched::SubmissionId waiting = run.submit(1, 1);
    const sched::SubmissionId behind = run.submit(1, 2);
    ASSERT_TRUE(run.pump([&] { return gate.inside.load() == 1; }));
    run.device->request_stop(waiting);
    ASSERT_TRUE(run.pump_until_heard_of(waiting));
    EXPECT_EQ(run.heard_of(waiting), "stopped");
    gate.open = true;
    ASSERT_TRUE(run.pump_until_heard_of(behind));
    EXPECT_EQ(run.heard_of(first), "finished");
  }
}

TEST(HostStop, AKernelStopsBetweenBlocksAndGoesOnLater) {
  constexpr int blocks = 40;
  System system = small_host_system();
  add_task(system, "kernel", {host_kernel(blocks)});
  std::vector<std::atomic<int>> calls(blocks);
  std::atomic<int> inside{0};
  std::atomic<bool> open{false};
  HostRun run{system, {{bound_blocks([&](Job& job) {
                ++calls[static_cast<std::size_t>(job.first_block())];
                ++inside;
                while (!open.load()) std::this_thread::sleep_for(20us);
              })}}};
  run.open();
  const sched::SubmissionId first = run.submit(0, 0);
  ASSERT_TRUE(run.pump([&] { return inside.load() == 4; }));
  run.device->request_stop(first);
  open = true;
  ASSERT_TRUE(run.pump_until_heard_of(first));
  EXPECT_EQ(run.heard_of(first), "stopped");
  EXPECT_EQ(inside.load(), 4);
  const sched::SubmissionId rest = run.submit(0, 0);
  ASSERT_TRUE(run.pump_until_heard_of(rest));
  EXPECT_EQ(run.heard_of(rest), "finished");
  EXPECT_THAT((std::vector<int>{calls.begin(), calls.end()}), Each(1));
}

TEST(HostStop, BlocksWithoutAThreadAreNotStarted) {
  System system = small_host_system();
  add_task(system, "kernel", {host_kernel(40)});
  device::HostOptions options = plain_host();
  options.max_threads = 2;
  Gate gate;
  HostRun run{system, {{bound_blocks(gate.work())}}, options};
  run.open();
  const sched::SubmissionId first = run.submit(0, 0);
  ASSERT_TRUE(run.pump([&] { return gate.inside.load() == 1; }));
  run.device->request_stop(first);
  ASSERT_TRUE(run.pump_until_heard_of(first));
  EXPECT_EQ(run.heard_of(first), "stopped");
  EXPECT_EQ(gate.inside.load(), 1);
  EXPECT_EQ(gate.asked.load(), 1);
  gate.open = true;
  const sched::SubmissionId rest = run.submit(0, 0);
  ASSERT_TRUE(run.pump_until_heard_of(rest));
  EXPECT_EQ(run.heard_of(rest), "finished");
  EXPECT_EQ(gate.inside.load(), 40);
}

TEST(HostStop, ExclusiveWorkStopsBetweenSlices) {
  System system = small_host_system();
  add_task(system, "long", {host_exclusive(1h)}).longest_block = 1ms;
  HostRun run{system};
  run.open();
  const sched::SubmissionId submission = run.submit(0, 0);
  ASSERT_TRUE(run.pump([&] { return !run.recorder.recording.blocks.empty(); }));
  run.device->request_stop(submission);
  ASSERT_TRUE(run.pump_until_heard_of(submission));
  EXPECT_EQ(run.heard_of(submission), "stopped");
  const std::optional<Duration> progress = run.progress_of(submission);
  ASSERT_TRUE(progress);
  EXPECT_GE(*progress, 1ms);
  EXPECT_EQ(*progress % 1ms, Duration{}) << in_ns(*progress);
  EXPECT_NE(run.device->job_over({0, 0}), never);
}

/// The blocks of the work need not fit the turn.
TEST(HostStop, ExclusiveWorkLeavesAtTheEndOfItsTurn) {
  for (const std::optional<Duration> longest_block :
       {std::optional<Duration>{}, std::optional<Duration>{1500us}}) {
    System system = small_host_system();
    system.policy.strategy = strategy_named("time-sliced");
    system.policy.time_slice = 2ms;
    add_task(system, "long", {host_exclusive(5ms)}).longest_block = longest_block;
    HostRun run{system};
    run.open();
    for (const std::optional<Duration> expected :
         {std::optional<Duration>{2ms}, std::optional<Duration>{4ms}, std::optional<Duration>{}}) {
      const sched::SubmissionId submission = run.submit(0, 0, 0, {.extent = sched::Extent::slice});
      ASSERT_TRUE(run.pump_until_heard_of(submission));
      EXPECT_EQ(run.heard_of(submission), expected ? "stopped" : "finished");
      EXPECT_EQ(run.progress_of(submission), expected);
    }
  }
}

TEST(HostStop, PreemptibleWorkStopsAnywhereAndGoesOnLater) {
  System system = small_host_system();
  add_task(system, "anywhere", {host_exclusive(20ms)}).longest_block = Duration{};
  HostRun run{system};
  run.open();
  std::string last;
  Duration progress{};
  int parts = 0;
  while (last != "finished") {
    const sched::SubmissionId submission = run.submit(0, 0, 0, {.extent = sched::Extent::slice});
    run.device->wait(run.device->now() + 3ms);
    run.device->request_stop(submission);
    ASSERT_TRUE(run.pump_until_heard_of(submission));
    last = run.heard_of(submission);
    ++parts;
    if (last == "finished") break;
    ASSERT_GE(run.progress_of(submission), progress);
    progress = *run.progress_of(submission);
    ASSERT_LT(progress, 20ms);
  }
  run.device->close();
  // What ran adds up to the whole, on either SM, without a break inside a part.
  Duration ran{};
  for (const trace::BlockRan& block : run.recorder.recording.blocks) {
    if (block.sm == 1) ran += block.end - block.start;
  }
  EXPECT_GE(ran, 20ms) << parts;
  if (run.device->not_enforced().empty()) {
    EXPECT_EQ(ran, 20ms) << parts;
  }
}

TEST(HostStop, AFunctionSeesThatItIsToStopAndCountsAsFinished) {
  System system = small_host_system();
  add_task(system, "gpu", {host_exclusive(1us)});
  add_task(system, "copy", {host_copy(1us)});
  add_task(system, "cpu", {host_cpu(1us)});
  Gate gate;
  HostRun run{system,
              {{bound_function(gate.work())}, {bound_function(gate.work())}, {bound_function(gate.work())}}};
  run.open();
  std::vector<sched::SubmissionId> all;
  for (TaskIndex task = 0; task < 3; ++task) all.push_back(run.submit(task, task));
  ASSERT_TRUE(run.pump([&] { return gate.inside.load() == 3; }));
  for (const sched::SubmissionId& submission : all) run.device->request_stop(submission);
  for (const sched::SubmissionId& submission : all) {
    ASSERT_TRUE(run.pump_until_heard_of(submission));
    EXPECT_EQ(run.heard_of(submission), "finished");
  }
  EXPECT_EQ(gate.asked.load(), 3);
}

TEST(HostStop, AStopThatNamesAnotherPartOrNothingIsIgnored) {
  System system = small_host_system();
  add_task(system, "gpu", {host_exclusive(1us)});
  Gate gate;
  HostRun run{system, {{bound_function(gate.work())}}};
  run.open();
  const sched::SubmissionId submission = run.submit(0, 3);
  ASSERT_TRUE(run.pump([&] { return gate.inside.load() == 1; }));
  run.device->request_stop({{3, 0}, 0, submission.part + 1});
  run.device->request_stop({{3, 1}, 0, 0});
  run.device->request_stop({{4, 0}, 0, 0});
  run.device->request_stop({{4000, 0}, 0, 0});
  run.device->request_stop({{3, 0}, 9, 0});
  gate.open = true;
  ASSERT_TRUE(run.pump_until_heard_of(submission));
  EXPECT_EQ(gate.asked.load(), 0);
}

TEST(HostStop, CloseEndsWhateverIsUnderWay) {
  System system = small_host_system();
  add_task(system, "function", {host_exclusive(1us), host_kernel(100), host_copy(1us), host_cpu(1us)});
  add_task(system, "clock", {host_exclusive(1h), host_kernel(100, 1h), host_copy(1h), host_cpu(1h)});
  system.platform.gpu.copy_engines = 2;
  Gate gate;
  device::Bindings bindings(1);
  for (int segment = 0; segment < 4; ++segment) bindings[0].push_back(bound_function(gate.work()));
  bindings[0][1] = bound_blocks(gate.work());
  HostRun run{system, bindings};
  for (int round = 0; round < 12; ++round) {
    gate.inside = 0;
    run.open({{0}, {1}});
    // Something on every server, and something waiting behind it.
    for (std::uint32_t job = 0; job < 12; ++job) {
      run.submit(job % 2, job, 0, {.level = 1, .sms = 1});
      run.submit(job % 2, 12 + job, 1, {.level = 0, .sms = 2});
      run.submit(job % 2, 24 + job, 2);
      run.submit(job % 2, 36 + job, 3);
    }
    const bool right_away = round % 2 == 0;
    ASSERT_TRUE(run.pump([&] { return right_away || gate.inside.load() > 0; }));
    run.device->close();
    run.device->close();
    const int inside = gate.inside.load();
    std::this_thread::yield();
    EXPECT_EQ(gate.inside.load(), inside);
  }
  EXPECT_THAT(run.device->failure(), IsEmpty());
}

/// Outlives the device that called it.
struct Stubborn {
  std::atomic<bool> inside{false};
  std::atomic<bool> open{false};
  std::atomic<int> right{0};  // calls that could still read what their job knows
};

TEST(HostStop, AFunctionThatDoesNotReturnIsLeftBehind) {
  const std::vector<Segment> servers{host_exclusive(1us), host_kernel(1), host_copy(1us), host_cpu(1us)};
  for (std::size_t server = 0; server < servers.size(); ++server) {
    const auto stubborn = std::make_shared<Stubborn>();
    const auto work = [stubborn](Job& job) {
      stubborn->inside = true;
      while (!stubborn->open) std::this_thread::sleep_for(100us);
      if (job.task() == "stubborn" && job.stop_requested()) ++stubborn->right;
    };
    {
      System system = small_host_system();
      add_task(system, "stubborn", {servers[server]});
      device::HostOptions options = plain_host();
      options.patience = 5ms;
      HostRun run{system, {{server == 1 ? bound_blocks(work) : bound_function(work)}}, options};
      run.open();
      run.submit(0, 7);
      ASSERT_TRUE(run.pump([&] { return stubborn->inside.load(); }));
      run.device->close();
      EXPECT_EQ(run.device->failure(),
                "task 'stubborn', job 7, segment 0: the bound function did not return when the run was over");
      EXPECT_THAT(run.device->not_enforced(),
                  testing::Contains(testing::HasSubstr("1 bound function has not returned")));
      // The device is as good as new.
      stubborn->inside = false;
      run.open();
      run.submit(0, 8);
      ASSERT_TRUE(run.pump([&] { return stubborn->inside.load(); }));
    }
    // Now device, system and bindings are gone. The functions go on, and let go of what they had.
    stubborn->open = true;
    for (int i = 0; i < 60'000 && stubborn.use_count() > 2; ++i) std::this_thread::sleep_for(1ms);
    ASSERT_EQ(stubborn.use_count(), 2) << "here, and in `work`";
    EXPECT_EQ(stubborn->right, 2);
  }
}

TEST(HostStop, ADeviceThatWasNeverOpenedOrNeverClosedEnds) {
  System system = small_host_system();
  add_task(system, "clock", {host_kernel(100, 1h)});
  {
    HostRun never_opened{system};
    never_opened.device->close();
  }
  HostRun never_closed{system};
  never_closed.open();
  never_closed.submit(0, 0);
}

TEST(HostStop, CloseTellsHowFarItCame) {
  System system = small_host_system();
  add_task(system, "clock", {host_kernel(2, 1h), host_copy(1h), host_kernel(1)});
  HostRun run{system};
  run.open();
  run.submit(0, 0, 0);
  run.submit(0, 1, 1);
  const sched::SubmissionId waiting = run.submit(0, 2, 1);
  ASSERT_TRUE(run.pump_until_heard_of(run.submit(0, 3, 2)));
  run.device->close();
  EXPECT_EQ(run.heard_of(waiting), "");
  EXPECT_EQ(run.recorder.recording.blocks.size(), 3U);
  EXPECT_EQ(run.recorder.recording.copies.size(), 1U);
  EXPECT_NE(run.device->job_over({0, 0}), never);
  EXPECT_NE(run.device->job_over({1, 0}), never);
  EXPECT_EQ(run.device->job_over({2, 0}), never);
}

/// Random kernels, some bound, submitted in parts and whole, stopped at random: every block runs exactly once
/// until its job has finished, and stays where it may.
TEST(HostStop, AnyOrderOfStopsLosesNoBlock) {
  Dice dice{20261115};
  for (int round = 0; round < 12; ++round) {
    System system = small_host_system();
    constexpr std::uint32_t tasks = 4;
    std::vector<std::vector<std::atomic<int>>> calls(tasks);
    device::Bindings bindings(tasks);
    std::vector<std::int64_t> grids;
    for (std::uint32_t task = 0; task < tasks; ++task) {
      grids.push_back(dice.between(1, 30));
      const std::int64_t threads = 32 * dice.between(1, 2);
      add_task(system, "task" + std::to_string(task), {host_kernel(grids.back(), 30us, threads)});
      calls[task] = std::vector<std::atomic<int>>(static_cast<std::size_t>(grids.back()));
      bindings[task].push_back(bound_blocks([&, task](Job& job) {
        ++calls[task][static_cast<std::size_t>(job.first_block())];
        if (job.first_block() % 3 == 0) std::this_thread::sleep_for(30us);
      }));
    }
    device::HostOptions options = plain_host();
    options.max_threads = static_cast<std::uint32_t>(dice.between(2, 6));
    HostRun run{system, bindings, options};
    run.open({{0}, {1}});
    std::vector<std::optional<sched::SubmissionId>> current(tasks);
    std::vector<std::string> last(tasks);
    const auto step = [&] {
      bool all = true;
      for (std::uint32_t task = 0; task < tasks; ++task) {
        if (current[task]) last[task] = run.heard_of(*current[task]);
        if (last[task] == "finished") continue;
        all = false;
        if (!current[task] || last[task] == "stopped") {
          HostRun::Place place;
          place.level = static_cast<std::uint32_t>(dice.between(0, 1));
          place.sms = static_cast<std::uint32_t>(dice.between(0, 2));
          place.extent = dice.between(0, 1) == 0 ? sched::Extent::whole : sched::Extent::slice;
          if (dice.between(0, 1) == 0) place.stream = 0;
          current[task] = run.submit(task, task, 0, place);
        } else if (dice.between(0, 2) == 0) {
          run.device->request_stop(*current[task]);
        }
      }
      return all;
    };
    ASSERT_TRUE(run.pump(step)) << "round " << round;
    run.device->close();
    for (std::uint32_t task = 0; task < tasks; ++task) {
      EXPECT_THAT((std::vector<int>{calls[task].begin(), calls[task].end()}), Each(1)) << "round " << round;
    }
  }
}

}  // namespace
}  // namespace tactus::test
