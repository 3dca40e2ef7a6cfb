// The engine decides shortly before a release, and submits when it comes.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "support/recording.hpp"
#include "support/ticking_device.hpp"
#include "tactus/runtime/executive.hpp"

namespace tactus::test {
namespace {

/// When the executive tells of releases, on the device's clock, which goes on meanwhile.
class ReleaseTimes final : public trace::Observer {
 public:
  using Observer::on;
  explicit ReleaseTimes(TickingDevice& device) : device_{device} {}
  [[nodiscard]] trace::Interests interests() const override { return {.releases = true}; }
  void on(const trace::JobReleased& event) override {
    if (device_.clock < event.release) ++before;
    device_.clock += Duration{50};
  }
  int before = 0;

 private:
  TickingDevice& device_;
};

Task task_of(std::string name, std::int64_t offset, std::int64_t period, std::int64_t time) {
  Task task;
  task.name = std::move(name);
  task.offset = Duration{offset};
  task.period = task.deadline = Duration{period};
  task.work.nodes.push_back({.name = {}, .segment = ExclusiveSegment{Interval::exactly(Duration{time})}});
  return task;
}

constexpr std::int64_t lead = 300;

struct Seen {
  TickingDevice device;
  Recorder recorder{Recorder::Blocks::wanted};
  ReleaseTimes releases{device};
  int misses = 0;
};

void run(const std::vector<Task>& tasks, Duration ahead, Seen& seen) {
  System system;
  system.name = "ahead";
  system.tasks = tasks;
  const std::array<trace::Observer*, 2> observers{&seen.recorder, &seen.releases};
  runtime::ExecutiveOptions options;
  options.horizon = Duration{200'500};
  options.decides_ahead = ahead;
  options.on_miss = [&](const runtime::Incident&) { ++seen.misses; };
  runtime::Executive{system, seen.device, options, observers}.run();
}

/// From the release to the submission, the longest of all jobs; none is submitted before its release.
Duration longest_wait(const Seen& seen) {
  Duration longest{};
  for (const TickingDevice::Submitted& one : seen.device.submitted) {
    EXPECT_GE(one.at, one.request.release);
    longest = std::max(longest, one.at - one.request.release);
  }
  return longest;
}

TEST(DecideAhead, SubmitsWhenTheReleaseComes) {
  const std::vector<Task> tasks{task_of("one", 1'000, 2'000, 500), task_of("other", 1'800, 6'000, 900)};
  Seen late;
  run(tasks, Duration{}, late);
  EXPECT_EQ(late.releases.before, 0);
  Seen early;
  run(tasks, Duration{lead}, early);
  EXPECT_EQ(early.device.submitted.size(), late.device.submitted.size());
  EXPECT_EQ(early.recorder.recording.ends.size(), late.recorder.recording.ends.size());
  EXPECT_GT(early.releases.before, 100);
  EXPECT_LT(longest_wait(early), longest_wait(late));
  EXPECT_EQ(early.misses, 0);
}

// `long` ends some 100 before each release: its end is seen at once.
TEST(DecideAhead, NothingIsDecidedWhileAJobIsInProgress) {
  Seen seen;
  run({task_of("long", 1'000, 2'000, 1'800), task_of("short", 3'000, 2'000, 500)}, Duration{lead}, seen);
  int ends = 0;
  for (const trace::JobEnded& job : seen.recorder.recording.ends) {
    if (job.completion == never) continue;
    ++ends;
    const Duration time{job.job.task == 0 ? 1'800 : 500};
    EXPECT_GE(job.completion - job.release, time);
    EXPECT_LE(job.completion - job.release, time + Duration{150});  // it takes 50 to tell of a release
  }
  EXPECT_GT(ends, 150);
  EXPECT_EQ(seen.misses, 0);
}

// Best-effort work that ends 100 before each release delays no job by more than without it.
TEST(DecideAhead, EndsOfBestEffortWorkDelayNoJob) {
  Task background = task_of("background", 0, 2'000, 1'900);
  background.arrival = Arrival::best_effort;
  background.period = background.deadline = std::nullopt;
  Seen late;
  run({background, task_of("short", 3'000, 2'000, 500)}, Duration{}, late);
  Seen early;
  run({background, task_of("short", 3'000, 2'000, 500)}, Duration{lead}, early);
  EXPECT_GT(early.releases.before, 50);
  EXPECT_LE(longest_wait(early), longest_wait(late) + Duration{10});
}

// The device ends a wait long before the release, for no event; best-effort work goes on until then.
TEST(DecideAhead, AWaitThatEndsTooEarlyDecidesNothing) {
  Task background = task_of("background", 0, 500, 500);
  background.arrival = Arrival::best_effort;
  background.period = background.deadline = std::nullopt;
  Seen seen;
  seen.device.ring = origin + Duration{1'200};
  run({background, task_of("short", 40'000, 80'000, 500)}, Duration{lead}, seen);
  const auto is_before = [](const TickingDevice::Submitted& one) {
    return one.at < origin + Duration{39'000};
  };
  EXPECT_GT(std::ranges::count_if(seen.device.submitted, is_before), 30);
}

// `long` has ended when its deadline passes at the release of `short`; that must be seen before.
TEST(DecideAhead, NoDeadlinePassesBeforeItsTime) {
  Task task = task_of("long", 1'000, 2'000, 1'800);
  task.deadline = Duration{1'999};
  Seen seen;
  run({task, task_of("short", 3'000, 2'000, 500)}, Duration{lead}, seen);
  EXPECT_GT(seen.device.submitted.size(), 150U);
  EXPECT_EQ(seen.misses, 0);
}

}  // namespace
}  // namespace tactus::test
