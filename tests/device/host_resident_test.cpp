// Resident tasks on the host device: their jobs are released without the engine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "support/host_run.hpp"
#include "tactus/device/host/resident_ends.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/runtime/executive.hpp"

namespace tactus::test {
namespace {

using namespace std::chrono_literals;

System resident_system(const std::string& keys, const std::string& more = {}) {
  const ReadResult result = read_system(
      "tactus: 1\nplatform: {cpus: 1, gpu: {sms: 4, virtual_sms_per_sm: 1}}\n"
      "policy: {strategy: federated, virtual_sms: {a: 2, b: 1}}\ntasks:\n"
      "  - {name: a, period: 2ms, dispatch: resident, " +
          keys + "}\n" + more,
      "test.yaml");
  for (const Problem& problem : result.problems) ADD_FAILURE() << problem.message;
  return result.system.value();
}

const std::string other = "  - {name: b, period: 1ms, exclusive: 100us}\n";

struct HostResident {
  explicit HostResident(System given) : system{std::move(given)} {
    for (const Task& task : system.tasks) bindings.emplace_back(task.work.nodes.size());
  }
  runtime::Outcome run(runtime::ExecutiveOptions options, const device::HostOptions& host = plain_host()) {
    options.bindings = &bindings;
    const std::unique_ptr<device::Device> device = device::make_host_device(host);
    const std::array<trace::Observer*, 1> observers{&recorder};
    return runtime::Executive{system, *device, options, observers}.run();
  }
  runtime::Outcome run(Duration horizon) {
    runtime::ExecutiveOptions options;
    options.horizon = horizon;
    return run(options);
  }

  System system;
  device::Bindings bindings;
  Recorder recorder{Recorder::Blocks::wanted};
};

TEST(HostResident, EveryJobIsReleasedAndToldOnce) {
  HostResident run{resident_system("kernel: {grid: 4, block: 1024, block_time: 100us}", other)};
  const runtime::Outcome outcome = run.run(100ms);
  EXPECT_EQ(runtime::to_string(outcome.ending), "horizon");
  EXPECT_EQ(outcome.released, 150U);
  EXPECT_EQ(outcome.completed + outcome.pending, 150U);
  EXPECT_EQ(outcome.tasks[0].released, 50U);
  std::set<std::uint64_t> ended;
  for (const trace::JobEnded& end : run.recorder.recording.ends) {
    if (end.job.task != 0) continue;
    EXPECT_TRUE(ended.insert(end.job.number).second);
    if (end.completion == never) continue;
    EXPECT_GE(end.start, end.release);
    EXPECT_GE(end.completion - end.start, 100us);
  }
  EXPECT_EQ(ended.size(), 50U);
  const auto& operations = run.recorder.recording.operations;
  const auto of_a = std::count_if(operations.begin(), operations.end(),
                                  [](const trace::OperationFinished& one) { return one.job.task == 0; });
  EXPECT_EQ(static_cast<std::uint64_t>(of_a), outcome.tasks[0].completed);
}

/// The engine's thread is stuck in a callback until the device has done three more jobs by itself.
TEST(HostResident, JobsGoOnWhileTheEngineIsAway) {
  HostResident run{resident_system("exclusive: 1ms", other)};
  std::atomic<int> jobs{0};
  run.bindings[0][0] = bound_function([&](Job&) { jobs.fetch_add(1); });
  bool went_on = false;
  runtime::ExecutiveOptions options;
  std::atomic<bool> stop{false};
  options.stop = &stop;
  options.progress = [&](Time) {
    if (went_on || jobs.load() == 0) return;
    const int before = jobs.load();
    const auto patience = std::chrono::steady_clock::now() + 60s;
    while (jobs.load() < before + 3 && std::chrono::steady_clock::now() < patience) std::this_thread::yield();
    went_on = jobs.load() >= before + 3;
    stop.store(true);
  };
  const runtime::Outcome outcome = run.run(options);
  EXPECT_TRUE(went_on);
  EXPECT_GE(outcome.tasks[0].completed, 3U);
}

/// Many jobs are over while the engine is away, and there is little room for events.
TEST(HostResident, AnAbsenceLosesNoJobAndNoCompletionOfOtherTasks) {
  HostResident run{resident_system("exclusive: 50us", other)};
  run.system.tasks[0].period = run.system.tasks[0].deadline = 500us;
  std::atomic<int> jobs{0};
  run.bindings[0][0] = bound_function([&](Job&) { jobs.fetch_add(1); });
  runtime::ExecutiveOptions options;
  std::atomic<bool> stop{false};
  options.stop = &stop;
  bool was_away = false;
  options.progress = [&](Time) {
    if (jobs.load() == 0) return;
    const int before = jobs.load();
    const int wanted = was_away ? 20 : 600;
    const auto patience = std::chrono::steady_clock::now() + 60s;
    while (jobs.load() < before + wanted && std::chrono::steady_clock::now() < patience) {
      std::this_thread::yield();
    }
    stop.store(was_away);
    was_away = true;
  };
  device::HostOptions host;
  host.real_time = false;
  host.max_events = 1;
  const runtime::Outcome outcome = run.run(options, host);
  EXPECT_GE(outcome.tasks[0].completed, 600U);
  EXPECT_EQ(outcome.tasks[0].skipped + outcome.tasks[0].no_room, 0U);
  EXPECT_GT(outcome.tasks[1].completed, 1U);
  EXPECT_EQ(outcome.failure, "");
}

TEST(HostResident, AfterAMissTheNextJobIsSkipped) {
  HostResident run{resident_system("on_miss: skip-next, exclusive: 1ms", other)};
  run.bindings[0][0] = bound_function([](Job&) { std::this_thread::sleep_for(2500us); });
  const runtime::Outcome outcome = run.run(100ms);
  EXPECT_GT(outcome.tasks[0].skipped, 5U);
  EXPECT_GT(outcome.tasks[0].misses, 5U);
  EXPECT_GT(outcome.assumptions.segments[0][0].runs.longest, 2ms);  // longer than declared
  EXPECT_EQ(outcome.tasks[0].released, 50U);
}

TEST(HostResident, AMissMayEndTheRun) {
  HostResident run{resident_system("on_miss: stop, exclusive: 1ms", other)};
  run.bindings[0][0] = bound_function([](Job&) { std::this_thread::sleep_for(4ms); });
  EXPECT_EQ(runtime::to_string(run.run(60s).ending), "miss");
}

TEST(HostResident, AFailureEndsTheRun) {
  HostResident run{resident_system("exclusive: 1ms", other)};
  run.bindings[0][0] = bound_function([](Job& job) {
    if (job.number() == 3) throw std::runtime_error{"no camera"};
  });
  const runtime::Outcome outcome = run.run(60s);
  EXPECT_EQ(runtime::to_string(outcome.ending), "failed");
  EXPECT_THAT(outcome.failure, testing::HasSubstr("no camera"));
  EXPECT_THAT(outcome.failure, testing::HasSubstr("'a'"));
}

/// What is lost of one task must not be taken for lost jobs of another.
TEST(HostResident, JobsWithoutRoomAreCountedForTheirTask) {
  device::host::ResidentEnds ends{2, 2};
  const auto note = [&](TaskIndex task, std::uint64_t number) {
    ends.note({.task = task, .number = number, .start = {}, .end = {}});
  };
  const auto take = [&] {
    const device::ResidentJob job = ends.take().value();
    return std::array<std::uint64_t, 3>{job.task, job.number, job.lost_before};
  };
  using Told = std::array<std::uint64_t, 3>;
  note(1, 9);
  note(0, 0);
  note(1, 0);
  note(0, 1);  // no room from here
  note(0, 2);
  note(1, 1);
  EXPECT_EQ(take(), (Told{1, 9, 0}));
  EXPECT_EQ(take(), (Told{0, 0, 0}));
  EXPECT_EQ(take(), (Told{1, 0, 0}));
  EXPECT_FALSE(ends.take());
  note(1, 2);
  note(0, 3);
  EXPECT_EQ(take(), (Told{1, 2, 1}));
  EXPECT_EQ(take(), (Told{0, 3, 2}));
  note(0, 4);
  EXPECT_EQ(take(), (Told{0, 4, 0}));
}

/// Where there is no room, a failure is still told.
TEST(HostResident, AFailureAlwaysHasRoom) {
  device::host::ResidentEnds ends{1, 3};
  for (std::uint64_t number = 0; number < 5; ++number) {
    ends.note({.task = 0, .number = number, .start = {}, .end = {}, .failed = number == 4});
  }
  for (int taken = 0; taken < 3; ++taken) EXPECT_FALSE(ends.take().value().failed);
  const device::ResidentJob last = ends.take().value();
  EXPECT_TRUE(last.failed);
  EXPECT_EQ(last.number, 4U);
  EXPECT_EQ(last.lost_before, 1U);
}

}  // namespace
}  // namespace tactus::test
