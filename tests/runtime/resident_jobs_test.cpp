// The executive's account of jobs that the device releases: whatever the device tells of them, and when, each
// is told once.
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>

#include "support/dice.hpp"
#include "support/effort.hpp"
#include "support/recording.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/runtime/executive.hpp"

namespace tactus::test {
namespace {

System resident_system() {
  const ReadResult result = read_system(
      "tactus: 1\nplatform: {cpus: 1, gpu: {sms: 4, virtual_sms_per_sm: 1}}\n"
      "policy: {strategy: federated, virtual_sms: {a: 1, b: 1}}\ntasks:\n"
      "  - {name: a, period: 10us, dispatch: resident, exclusive: 3us}\n"
      "  - {name: b, period: 7us, offset: 5us, deadline: 6us, dispatch: resident, exclusive: 2us}\n",
      "test.yaml");
  return result.system.value();
}

/// Time passes by itself. It tells of jobs late, skips some, loses the records of some, and tells nonsense.
class Unreliable final : public device::Device {
 public:
  Unreliable(const System& system, std::uint64_t seed) : system_{system}, dice_{seed} {}

  [[nodiscard]] sched::Capabilities capabilities(const System& /*system*/) const override {
    return {.engine = "the test", .sm_set_granularity = 1, .preemptive_cpu = true, .releases_jobs = true};
  }
  void open(const device::Setup& setup) override { resident = setup.resident; }
  [[nodiscard]] Time now() noexcept override { return now_; }
  void wait(Time until) override {
    now_ = std::min(until, now_ + dice_.duration(1, 20'000));
    for (const TaskIndex task : resident) work(task);
  }
  void poll(sched::Events& /*events*/) override {}
  void submit(const device::Request& /*request*/) override { ADD_FAILURE() << "nothing is submitted"; }
  void request_stop(sched::SubmissionId /*submission*/) override {}
  Time job_over(sched::JobId /*job*/) noexcept override { return never; }
  void close() override {}
  std::optional<device::ResidentJob> take_resident() noexcept override {
    if (told_.empty() || dice_.percent(20)) return std::nullopt;
    const device::ResidentJob job = told_.front();
    told_.pop_front();
    return job;
  }

  std::vector<TaskIndex> resident;

 private:
  void work(TaskIndex task) {
    const Task& description = system_.tasks[task];
    std::uint64_t& number = next_[task];
    std::uint64_t lost = 0;
    for (;;) {
      const Time release =
          time_at(description.offset + *description.period * static_cast<std::int64_t>(number));
      const Time end = release + dice_.duration(1'000, 9'000);
      if (end > now_) break;
      if (dice_.percent(10)) {
        ++lost;  // its record is overwritten
      } else {
        told_.push_back({.task = task,
                         .number = number,
                         .start = release,
                         .end = end,
                         .lost_before = std::exchange(lost, 0)});
        if (dice_.percent(5)) told_.push_back(told_.back());  // twice
        if (dice_.percent(2)) told_.push_back({.task = task, .number = 1'000'000, .end = end});
      }
      number += dice_.percent(5) ? 2U : 1U;  // it skips one
    }
  }

  const System& system_;
  Dice dice_;
  Time now_{origin - Duration{2'000'000}};
  std::map<TaskIndex, std::uint64_t> next_;
  std::deque<device::ResidentJob> told_;
};

TEST(ResidentJobs, EachIsToldOnceWhateverTheDeviceTells) {
  const System system = resident_system();
  for (std::uint64_t seed = 0; seed < std::uint64_t{tries(300)}; ++seed) {
    Unreliable device{system, seed};
    Recorder recorder{Recorder::Blocks::unwanted};
    const std::array<trace::Observer*, 1> observers{&recorder};
    runtime::ExecutiveOptions options;
    options.horizon = nanoseconds(1'000'000);
    const runtime::Outcome outcome = runtime::Executive{system, device, options, observers}.run();
    ASSERT_EQ(device.resident.size(), 2U);
    for (TaskIndex task = 0; task < 2; ++task) {
      std::uint64_t released = 0;
      for (const trace::JobReleased& release : recorder.recording.releases) {
        if (release.job.task != task) continue;
        ASSERT_EQ(release.job.number, released++);
      }
      std::uint64_t ended = 0;
      for (const trace::JobEnded& end : recorder.recording.ends) {
        if (end.job.task != task) continue;
        ASSERT_EQ(end.job.number, ended++) << "seed " << seed;
      }
      ASSERT_EQ(released, ended);
      ASSERT_EQ(released, task == 0 ? 100U : 143U);
    }
    ASSERT_EQ(outcome.released, outcome.completed + outcome.dropped + outcome.pending);
    ASSERT_EQ(outcome.tasks[0].skipped + outcome.tasks[1].skipped, 0U) << "no task skips";
    ASSERT_EQ(outcome.ending, runtime::RunEnd::horizon);
  }
}

/// Does every job in time. The thread that hears of them is away for 1 ms every now and then.
class Punctual final : public device::Device {
 public:
  explicit Punctual(const System& system) : system_{system} {}

  [[nodiscard]] sched::Capabilities capabilities(const System& /*system*/) const override {
    return {.engine = "the test", .sm_set_granularity = 1, .preemptive_cpu = true, .releases_jobs = true};
  }
  void open(const device::Setup& /*setup*/) override {}
  [[nodiscard]] Time now() noexcept override { return now_; }
  void wait(Time until) override {
    most_told = std::max(most_told, told);
    told = 0;
    if (until <= now_) return;
    now_ = ++waits_ % 10 == 0 ? now_ + nanoseconds(1'000'000) : std::min(until, now_ + nanoseconds(20'000));
    while (tells_at_once) {
      const TaskIndex task = end_of(0) <= end_of(1) ? 0 : 1;
      if (end_of(task) > now_) break;
      tell(task);
    }
  }
  void poll(sched::Events& /*events*/) override {}
  void submit(const device::Request& /*request*/) override { ADD_FAILURE() << "nothing is submitted"; }
  void request_stop(sched::SubmissionId /*submission*/) override {}
  Time job_over(sched::JobId /*job*/) noexcept override { return never; }
  void close() override {
    for (TaskIndex task = 0; task < 2; ++task) {
      while (end_of(task) <= now_) tell(task);
    }
  }
  std::optional<device::ResidentJob> take_resident() noexcept override {
    if (ended_.empty()) return std::nullopt;
    const device::ResidentJob job = ended_.front();
    ended_.pop_front();
    return job;
  }

  bool tells_at_once = true;  // else when it is closed
  std::size_t told = 0;       // by the executive, since it waited last
  std::size_t most_told = 0;

 private:
  [[nodiscard]] Time release_of(TaskIndex task) const {
    return time_at(system_.tasks[task].offset +
                   *system_.tasks[task].period * static_cast<std::int64_t>(next_[task]));
  }
  [[nodiscard]] Time end_of(TaskIndex task) const { return release_of(task) + nanoseconds(3'000); }
  void tell(TaskIndex task) {
    ended_.push_back({.task = task, .number = next_[task], .start = release_of(task), .end = end_of(task)});
    ++next_[task];
  }

  const System& system_;
  Time now_{origin - Duration{2'000'000}};
  int waits_ = 0;
  std::array<std::uint64_t, 2> next_{};
  std::deque<device::ResidentJob> ended_;
};

/// Counts what the executive tells.
class Counting final : public trace::Observer {
 public:
  explicit Counting(Punctual& device) : device_{device} {}
  using Observer::on;
  [[nodiscard]] trace::Interests interests() const override { return {.releases = true, .ends = true}; }
  void on(const trace::JobReleased& /*event*/) override { ++device_.told; }
  void on(const trace::JobEnded& /*event*/) override { ++device_.told; }

 private:
  Punctual& device_;
};

TEST(ResidentJobs, AnAbsenceIsNoSilenceAndIsMadeUpForStepByStep) {
  const System system = resident_system();
  Punctual device{system};
  Counting counting{device};
  const std::array<trace::Observer*, 1> observers{&counting};
  runtime::ExecutiveOptions options;
  options.watchdog = nanoseconds(50'000);
  options.horizon = nanoseconds(10'000'000);
  const runtime::Outcome outcome = runtime::Executive{system, device, options, observers}.run();
  EXPECT_EQ(outcome.ending, runtime::RunEnd::horizon) << outcome.failure;
  EXPECT_GE(outcome.completed + 2, outcome.released);
  EXPECT_EQ(outcome.released, 1000U + 1428U);
  EXPECT_EQ(outcome.misses, 0U);
  EXPECT_EQ(device.most_told, 1U);
}

TEST(ResidentJobs, WhatIsHeardAtTheEndOfTheRunCounts) {
  System system = resident_system();
  runtime::ExecutiveOptions options;
  options.horizon = nanoseconds(1'000'000);
  {
    Punctual device{system};
    device.tells_at_once = false;
    const runtime::Outcome outcome = runtime::Executive{system, device, options, {}}.run();
    EXPECT_EQ(outcome.completed, 100U + 142U);
    EXPECT_EQ(outcome.misses, 0U);
  }
  system.tasks[1].deadline = nanoseconds(2'999);
  system.tasks[1].on_miss = OnMiss::stop;
  {
    Punctual device{system};
    device.tells_at_once = false;
    const runtime::Outcome outcome = runtime::Executive{system, device, options, {}}.run();
    EXPECT_EQ(outcome.ending, runtime::RunEnd::miss);
  }
  {
    Punctual device{system};
    device.tells_at_once = false;
    int calls = 0;
    options.on_miss = [&](const runtime::Incident&) {
      ++calls;
      throw std::runtime_error{"no misses, please"};
    };
    runtime::Executive executive{system, device, options, {}};
    executive.start();
    while (executive.step()) {
    }
    EXPECT_THROW(executive.finish(), std::runtime_error);
    EXPECT_EQ(executive.finish().ending, runtime::RunEnd::miss);
    EXPECT_EQ(calls, 1);
  }
}

TEST(ResidentJobs, SilenceEndsTheRun) {
  class Silent final : public device::Device {
   public:
    [[nodiscard]] sched::Capabilities capabilities(const System& /*system*/) const override {
      return {.engine = "the test", .sm_set_granularity = 1, .preemptive_cpu = true, .releases_jobs = true};
    }
    void open(const device::Setup& /*setup*/) override {}
    [[nodiscard]] Time now() noexcept override { return now_; }
    void wait(Time until) override { now_ = std::min(until, now_ + nanoseconds(1000)); }
    void poll(sched::Events& /*events*/) override {}
    void submit(const device::Request& /*request*/) override {}
    void request_stop(sched::SubmissionId /*submission*/) override {}
    Time job_over(sched::JobId /*job*/) noexcept override { return never; }
    void close() override {}

   private:
    Time now_{origin};
  };
  const System system = resident_system();
  Silent device;
  runtime::ExecutiveOptions options;
  options.watchdog = nanoseconds(50'000);
  const runtime::Outcome outcome = runtime::Executive{system, device, options, {}}.run();
  EXPECT_EQ(outcome.ending, runtime::RunEnd::lost);
  EXPECT_NE(outcome.failure.find("'a'"), std::string::npos) << outcome.failure;
}

}  // namespace
}  // namespace tactus::test
