// The CPU cores of the host device, with and without SCHED_FIFO.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/host_run.hpp"
#include "tactus/base/threads.hpp"
#include "tactus/device/host/front_end.hpp"
#include "tactus/device/host/segment_plan.hpp"
#include "tactus/device/host/worker_threads.hpp"

namespace tactus::test {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

TEST(HostCpus, UnboundSegmentsUseUpTheirTimeAndAreTold) {
  System system = small_host_system();
  add_task(system, "a", {host_cpu(2ms)});
  HostRun run{system};
  run.open();
  const sched::SubmissionId submission = run.submit(0, 5);
  ASSERT_TRUE(run.pump_until_heard_of(submission));
  EXPECT_EQ(run.heard_of(submission), "finished");
  run.device->close();
  ASSERT_EQ(run.recorder.recording.cpus.size(), 1U);
  const trace::CpuRan& ran = run.recorder.recording.cpus.front();
  EXPECT_EQ(ran.job, (trace::JobName{0, 5}));
  EXPECT_EQ(ran.core, 0);
  EXPECT_GE(ran.end - ran.start, 2ms);  // a thread cannot use CPU time faster than it passes
  EXPECT_EQ(run.device->job_over({5, 0}), ran.start);
}

TEST(HostCpus, AMoreUrgentSegmentTakesTheCore) {
  System system = small_host_system();
  add_task(system, "low", {host_cpu(1h)});
  add_task(system, "high", {host_cpu(1ms)});
  add_task(system, "middle", {host_cpu(1ms)});
  HostRun run{system};
  run.open();
  const sched::SubmissionId low = run.submit(0, 0, 0, {.level = 9});
  const sched::SubmissionId middle = run.submit(2, 2, 0, {.level = 5});
  const sched::SubmissionId high = run.submit(1, 1, 0, {.level = 1});
  // The first would keep the core for an hour if it did not give way.
  ASSERT_TRUE(run.pump_until_heard_of(high));
  ASSERT_TRUE(run.pump_until_heard_of(middle));
  EXPECT_EQ(run.heard_of(low), "");
  run.device->request_stop(low);
  ASSERT_TRUE(run.pump_until_heard_of(low));
  EXPECT_EQ(run.heard_of(low), "stopped");
  run.device->close();
  // One at a time.
  const std::vector<trace::CpuRan>& ran = run.recorder.recording.cpus;
  for (std::size_t i = 0; i < ran.size(); ++i) {
    for (std::size_t j = i + 1; j < ran.size(); ++j) {
      EXPECT_TRUE(ran[i].end <= ran[j].start || ran[j].end <= ran[i].start);
    }
  }
}

TEST(HostCpus, AStoppedSegmentGoesOnWhereItWas) {
  System system = small_host_system();
  add_task(system, "a", {host_cpu(5ms)});
  HostRun run{system};
  run.open();
  Duration progress{};
  std::string last;
  int parts = 0;
  while (last != "finished") {
    const sched::SubmissionId submission = run.submit(0, 0);
    run.device->wait(run.device->now() + 2ms);
    run.device->request_stop(submission);
    ASSERT_TRUE(run.pump_until_heard_of(submission));
    last = run.heard_of(submission);
    ++parts;
    if (last != "stopped") continue;
    EXPECT_GE(run.progress_of(submission), progress);
    progress = *run.progress_of(submission);
    EXPECT_LT(progress, 5ms);
  }
  EXPECT_GE(parts, 1);
}

TEST(HostCpus, WhatHasNotStartedIsStoppedWithoutEverRunning) {
  System system = small_host_system();
  add_task(system, "first", {host_cpu(1us)});
  add_task(system, "second", {host_cpu(1us)});
  std::atomic<bool> open{false};
  std::atomic<int> inside{0};
  HostRun run{system, {{bound_function([&](Job&) {
                ++inside;
                while (!open.load()) std::this_thread::sleep_for(20us);
              })}}};
  run.open();
  const sched::SubmissionId first = run.submit(0, 0, 0, {.level = 1});
  ASSERT_TRUE(run.pump([&] { return inside.load() == 1; }));
  const sched::SubmissionId urgent = run.submit(1, 1, 0, {.level = 0});
  run.device->request_stop(urgent);
  ASSERT_TRUE(run.pump_until_heard_of(urgent));
  EXPECT_EQ(run.heard_of(urgent), "stopped");
  EXPECT_EQ(run.device->job_over({1, 0}), never);
  open = true;
  ASSERT_TRUE(run.pump_until_heard_of(first));
  EXPECT_THAT(run.device->not_enforced(), Contains(HasSubstr("bound functions run to their end")));
}

TEST(HostCpus, CoresDoNotWaitForEachOther) {
  System system = small_host_system();
  add_task(system, "here", {host_cpu(1us)}).core = 0;
  add_task(system, "there", {host_cpu(1us)}).core = 1;
  // Each returns only when the other has begun.
  std::atomic<int> inside{0};
  const auto both = [&](Job&) {
    ++inside;
    while (inside.load() < 2) std::this_thread::sleep_for(20us);
  };
  HostRun run{system, {{bound_function(both)}, {bound_function(both)}}};
  run.open();
  const sched::SubmissionId here = run.submit(0, 0);
  const sched::SubmissionId there = run.submit(1, 1);
  ASSERT_TRUE(run.pump_until_heard_of(here));
  ASSERT_TRUE(run.pump_until_heard_of(there));
}

TEST(HostCpus, JobsOfATaskTakeTurns) {
  System system = small_host_system();
  add_task(system, "a", {host_cpu(1us)});
  std::vector<std::uint64_t> order;  // its thread alone writes
  HostRun run{system, {{bound_function([&](Job& job) { order.push_back(job.number()); })}}};
  run.open();
  sched::SubmissionId last;
  for (std::uint32_t job = 0; job < 30; ++job) last = run.submit(0, job);
  ASSERT_TRUE(run.pump_until_heard_of(last));
  run.device->close();
  ASSERT_EQ(order.size(), 30U);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(HostCpus, AnExceptionFailsTheSegment) {
  System system = small_host_system();
  add_task(system, "a", {host_cpu(1us), host_cpu(1us)});
  HostRun run{system, {{{}, bound_function([](Job&) { throw std::logic_error{"out of range"}; })}}};
  run.open();
  const sched::SubmissionId good = run.submit(0, 0, 0);
  const sched::SubmissionId bad = run.submit(0, 1, 1);
  ASSERT_TRUE(run.pump_until_heard_of(good));
  ASSERT_TRUE(run.pump_until_heard_of(bad));
  EXPECT_EQ(run.heard_of(good), "finished");
  EXPECT_EQ(run.heard_of(bad), "failed");
  EXPECT_EQ(run.device->failure(), "task 'a', job 1, segment 1: out of range");
}

// Whether there are CPUs enough or not.
TEST(HostCpus, ThreadsThatNeverSleepHearOfWorkAndOfTheEnd) {
  System system = small_host_system();
  add_task(system, "a", {host_cpu(20us)});
  const sched::Draws draws{system, 1, Execution::worst};
  device::Setup setup{.system = system,
                      .draws = draws,
                      .sm_sets = {device::all_sms(system.platform.gpu)},
                      .streams = {},
                      .lanes = {},
                      .cpu_lanes = cpu_lanes_of(system)};
  setup.max_pending = 32;
  namespace host = device::host;
  const device::HostOptions options = plain_host();
  const std::size_t most = host::ActivityTable::capacity_for(setup);
  const auto context = std::make_shared<host::FunctionContext>(setup, most);
  const host::SegmentPlans plans = host::make_segment_plans(system, &context->bindings);
  host::WorkerPlan workers = host::plan_workers(setup, options, plans);
  workers.waits_busily = true;
  host::Reports reports{setup, most, options.max_events};
  host::FrontEnd front_end{setup, options, plans, workers, reports, context};
  for (std::uint32_t job = 0; job < 20; ++job) {
    host::FrontEndRequest order{
        .kind = host::FrontEndRequest::Kind::submit, .made = front_end.clock().now(), .request = {}};
    order.request.id = {{job, 0}, 0, 1};
    order.request.number = job;
    front_end.put(order);
    while (reports.front() == nullptr) std::this_thread::yield();
    EXPECT_EQ(reports.front()->kind, host::Report::Kind::finished);
    EXPECT_EQ(reports.front()->id.job.slot, job);
    reports.pop();
  }
  front_end.close();
}

TEST(HostCpus, ThreadsThatWouldShareCpusSleepAndThatIsTold) {
  System system = small_host_system();
  const std::size_t tasks = available_cpus().size();
  if (tasks > 100) GTEST_SKIP() << "there are more CPUs than threads";
  for (std::size_t i = 0; i < tasks; ++i) {
    add_task(system, "task" + std::to_string(i), {host_cpu(20us)}).core = static_cast<std::int32_t>(i);
  }
  device::HostOptions options = plain_host();
  HostRun asleep{system, {}, options};
  asleep.open();
  EXPECT_THAT(asleep.device->not_enforced(), Not(Contains(HasSubstr("never sleep"))));
  options.spin = device::always_spins;
  HostRun run{system, {}, options};
  run.open();
  EXPECT_THAT(run.device->not_enforced(), Contains(HasSubstr("threads that never sleep")));
  const sched::SubmissionId submission = run.submit(0, 0);
  ASSERT_TRUE(run.pump_until_heard_of(submission));
  EXPECT_EQ(run.heard_of(submission), "finished");
}

TEST(HostCpus, UnderFifoTheMostUrgentFunctionHasTheCore) {
  if (!may_take_real_time_class(80)) GTEST_SKIP() << "SCHED_FIFO is not permitted";
  System system = small_host_system();
  add_task(system, "low", {host_cpu(1us)});
  add_task(system, "high", {host_cpu(1us)});
  std::atomic<bool> high_was_here{false};
  std::atomic<int> inside{0};
  device::HostOptions options;
  // Busy until the other one has run on the same core.
  HostRun run{system,
              {{bound_function([&](Job& job) {
                 ++inside;
                 while (!high_was_here.load() && !job.stop_requested()) {
                 }
               })},
               {bound_function([&](Job&) { high_was_here = true; })}},
              options};
  run.open();
  const sched::SubmissionId low = run.submit(0, 0, 0, {.level = 9});
  ASSERT_TRUE(run.pump([&] { return inside.load() == 1; }));
  const sched::SubmissionId high = run.submit(1, 1, 0, {.level = 0});
  ASSERT_TRUE(run.pump_until_heard_of(high));
  ASSERT_TRUE(run.pump_until_heard_of(low));
  EXPECT_EQ(run.heard_of(low), "finished");
  EXPECT_TRUE(high_was_here.load());
  EXPECT_THAT(run.device->not_enforced(), Not(Contains(HasSubstr("SCHED_FIFO"))));
  run.device->close();
  const std::vector<trace::CpuRan>& ran = run.recorder.recording.cpus;
  for (std::size_t i = 0; i < ran.size(); ++i) {
    for (std::size_t j = i + 1; j < ran.size(); ++j) {
      EXPECT_TRUE(ran[i].end <= ran[j].start || ran[j].end <= ran[i].start);
    }
  }
}

// Work comes in an order in which priorities must be found above, below and between those that are taken.
// Which thread the operating system runs first is its own affair; that it is told the right order is ours.
TEST(HostCpus, UnderFifoThePrioritiesHaveTheOrderOfUrgency) {
  if (!may_take_real_time_class(80)) GTEST_SKIP() << "SCHED_FIFO is not permitted";
  System system = small_host_system();
  const std::vector<std::uint32_t> urgencies{50, 10, 30, 20, 40, 60, 25};
  std::vector<std::atomic<int>> priorities(61);  // by urgency
  std::atomic<bool> all_are_there{false};
  std::atomic<int> inside{0};
  device::Bindings bindings;
  for (const std::uint32_t urgency : urgencies) {
    add_task(system, "task" + std::to_string(urgency), {host_cpu(1us)});
    bindings.push_back({bound_function([&, urgency](Job& job) {
      ++inside;
      while (!all_are_there.load() && !job.stop_requested()) std::this_thread::sleep_for(20us);
      sched_param own{};
      int scheduler = 0;
      pthread_getschedparam(pthread_self(), &scheduler, &own);
      priorities[urgency] = scheduler == SCHED_FIFO ? own.sched_priority : 0;
    })});
  }
  HostRun run{system, bindings, device::HostOptions{}};
  run.open();
  std::vector<sched::SubmissionId> submissions;
  for (std::uint32_t i = 0; i < urgencies.size(); ++i) {
    submissions.push_back(run.submit(i, i, 0, {.level = urgencies[i]}));
    ASSERT_TRUE(run.pump([&] { return inside.load() == static_cast<int>(i) + 1; }));
  }
  all_are_there = true;
  for (const sched::SubmissionId& submission : submissions) ASSERT_TRUE(run.pump_until_heard_of(submission));
  run.device->close();
  const std::vector<std::size_t> most_urgent_first{10, 20, 25, 30, 40, 50, 60};
  for (std::size_t i = 1; i < most_urgent_first.size(); ++i) {
    EXPECT_GT(priorities[most_urgent_first[i - 1]].load(), priorities[most_urgent_first[i]].load()) << i;
  }
  EXPECT_GT(priorities[60].load(), 0);
}

}  // namespace
}  // namespace tactus::test
