// Tasks that others cannot preempt, beside tasks that they can.
#include "tactus/import/preemption.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "import/models.hpp"
#include "support/dice.hpp"
#include "support/effort.hpp"
#include "support/first_seed.hpp"
#include "tactus/analysis/check.hpp"

namespace tactus::import {
namespace {

using std::chrono::milliseconds;

struct Made {
  std::int64_t period = 0;  // in milliseconds; the shorter, the more urgent
  std::int64_t time = 0;
  bool keeps_core = false;
  std::int64_t offset = 0;
};

Imported model_of(const std::vector<Made>& tasks) {
  std::string software;
  std::string stimuli;
  std::string allocations;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const std::string number = std::to_string(i);
    software +=
        "<tasks name=\"T" + number + "\" stimuli=\"s" + number + "?type=PeriodicStimulus\" preemption=\"" +
        (tasks[i].keeps_core ? "non_preemptive" : "preemptive") + "\"><activityGraph>" + call("r" + number) +
        "</activityGraph></tasks>" + runnable("r" + number, tasks[i].time * 1'000'000, 0);
    stimuli += "<stimuli xsi:type=\"am:PeriodicStimulus\" name=\"s" + number + "\"><recurrence value=\"" +
               std::to_string(tasks[i].period) + "\" unit=\"ms\"/></stimuli>";
    allocations += on_core("T" + number, "C0", std::to_string(tasks.size() - i));
  }
  return imported("<swModel>" + software + "</swModel><stimuliModel>" + stimuli + "</stimuliModel>" +
                  small_hardware + small_os + mapping(allocations));
}

/// The longest response of each on one core, by fixed priorities, millisecond by millisecond.
std::vector<std::int64_t> longest_responses(const std::vector<Made>& tasks, std::int64_t horizon) {
  struct Job {
    std::size_t task = 0;
    std::int64_t release = 0;
    std::int64_t left = 0;
    bool has_begun = false;
  };
  std::vector<Job> jobs;
  std::vector<std::int64_t> longest(tasks.size());
  for (std::int64_t now = 0; now < horizon; ++now) {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (now >= tasks[i].offset && (now - tasks[i].offset) % tasks[i].period == 0) {
        jobs.push_back({i, now, tasks[i].time, false});
      }
    }
    if (jobs.empty()) continue;
    auto next = std::min_element(jobs.begin(), jobs.end(),
                                 [](const Job& a, const Job& b) { return a.task < b.task; });
    const auto kept = std::find_if(jobs.begin(), jobs.end(), [&](const Job& job) {
      return job.has_begun && tasks[job.task].keeps_core;
    });
    if (kept != jobs.end()) next = kept;
    next->has_begun = true;
    if (--next->left > 0) continue;
    longest[next->task] = std::max(longest[next->task], now + 1 - next->release);
    jobs.erase(next);
  }
  return longest;
}

TEST(Preemption, BoundsHoldBesideTasksThatKeepTheirCore) {
  int compared = 0;
  int close = 0;
  for (std::uint64_t seed = test::first_seed(); seed < test::first_seed() + test::tries(300); ++seed) {
    test::Dice dice{seed};
    std::vector<Made> tasks;
    for (std::int64_t i = dice.between(2, 4); i > 0; --i) {
      const std::int64_t period = dice.pick({10, 15, 20, 30, 40, 60});
      tasks.push_back({period, dice.between(1, std::max<std::int64_t>(1, period / 4)), dice.percent(40), 0});
    }
    std::stable_sort(tasks.begin(), tasks.end(),
                     [](const Made& a, const Made& b) { return a.period < b.period; });
    const Imported model = model_of(tasks);
    ASSERT_TRUE(model.converted);
    const System& system = model.converted->system;
    const auto bounds = analysis::proven_bounds(system, analysis::check(system));
    for (int round = 0; round < 20; ++round) {
      for (Made& one : tasks) one.offset = round == 0 ? 0 : dice.between(0, one.period - 1);
      const std::vector<std::int64_t> seen = longest_responses(tasks, 400);
      for (std::size_t i = 0; i < tasks.size(); ++i) {
        if (!bounds[i].bound) continue;
        ++compared;
        ASSERT_LE(milliseconds{seen[i]}, *bounds[i].bound) << "task " << i << ", seed " << seed;
        if (milliseconds{seen[i]} == *bounds[i].bound) ++close;
      }
    }
  }
  EXPECT_GT(compared, test::tries(3'000));
  EXPECT_GT(close, test::tries(100));
}

TEST(Preemption, MoreUrgentTasksComeLater) {
  const Imported model = model_of({{10, 1, false}, {20, 2, false}, {50, 7, true}});
  ASSERT_TRUE(model.converted);
  const System& system = model.converted->system;
  EXPECT_EQ(system.tasks[0].jitter, milliseconds{7});
  EXPECT_EQ(system.tasks[1].jitter, milliseconds{7});
  EXPECT_EQ(system.tasks[2].jitter, Duration{});
  EXPECT_EQ(system.tasks[0].deadline, milliseconds{10});
  EXPECT_TRUE(noticed(model, "preemption"));
}

// It goes on beside the work that it triggered, so it may have its core for 3 + 2 ms in one go.
TEST(Preemption, AWaitThatMayNotWaitEndsNoStretch) {
  const std::string parts =
      "<swModel>" + task("H", "every_10ms?type=PeriodicStimulus", call("h")) +
      "<tasks name=\"T\" stimuli=\"every_50ms?type=PeriodicStimulus\" "
      "preemption=\"non_preemptive\"><activityGraph>" +
      call("a") + R"(<items xsi:type="am:InterProcessTrigger" stimulus="go?type=InterProcessStimulus"/>)" +
      call("b") +
      R"(<items xsi:type="am:WaitEvent"><eventMask events="done?type=OsEvent"/></items></activityGraph></tasks>)" +
      task("K", "go?type=InterProcessStimulus",
           call("k") + R"(<items xsi:type="am:SetEvent"><eventMask events="done?type=OsEvent"/></items>)") +
      runnable("h", 1'000'000, 0) + runnable("a", 3'000'000, 0) + runnable("b", 2'000'000, 0) +
      runnable("k", 0, 1'000'000) + "<events name=\"done\"/></swModel><stimuliModel>" + every(10) +
      every(50) + R"(<stimuli xsi:type="am:InterProcessStimulus" name="go"/></stimuliModel>)" +
      small_hardware + small_os + mapping(on_core("H", "C0", "2") + on_core("T", "C0", "1") + on_gpu("K"));
  const Imported model = imported(parts);
  ASSERT_TRUE(model.converted);
  EXPECT_GE(model.converted->system.tasks.at(0).jitter, milliseconds{5});
}

TEST(Preemption, AGroupThatIsNotInterruptedKeepsItsCore) {
  std::string runnables = runnable("h", 1'000'000, 0) + runnable("a", 3'000'000, 0);
  const Imported model =
      imported("<swModel>" + task("H", "every_10ms?type=PeriodicStimulus", call("h")) +
               task("T", "every_50ms?type=PeriodicStimulus",
                    "<items xsi:type=\"am:Group\" interruptible=\"false\">" + call("a") + "</items>") +
               runnables + "</swModel><stimuliModel>" + every(10) + every(50) + "</stimuliModel>" +
               small_hardware + small_os + mapping(on_core("H", "C0", "2") + on_core("T", "C0", "1")));
  ASSERT_TRUE(model.converted);
  EXPECT_EQ(model.converted->system.tasks.at(0).jitter, milliseconds{3});
}

TEST(Preemption, WhereNobodyIsPreemptedTheCoresDoNot) {
  const System system = model_of({{10, 1, true}, {20, 2, true}}).converted->system;
  ASSERT_TRUE(system.policy.cpu);
  EXPECT_FALSE(system.policy.cpu->preemptive);
  EXPECT_EQ(system.tasks[0].jitter, Duration{});
  EXPECT_TRUE(model_of({{10, 1, false}, {20, 2, false}}).converted->system.policy.cpu->preemptive);
}

}  // namespace
}  // namespace tactus::import
