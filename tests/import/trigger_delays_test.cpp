// When tasks come that others trigger.
#include "tactus/import/trigger_delays.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "import/models.hpp"
#include "tactus/analysis/check.hpp"

namespace tactus::import {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::SizeIs;

std::string trigger(const std::string& stimulus) {
  return "<items xsi:type=\"am:InterProcessTrigger\" stimulus=\"" + stimulus +
         "?type=InterProcessStimulus\"/>";
}

std::string limit(const std::string& task, int limit_ms) {
  return "<requirements xsi:type=\"am:ProcessRequirement\" name=\"limit of " + task + "\" process=\"" + task +
         "?type=Task\"><limit xsi:type=\"am:TimeRequirementLimit\" limitType=\"UpperLimit\" "
         "metric=\"ResponseTime\"><limitValue value=\"" +
         std::to_string(limit_ms) + "\" unit=\"ms\"/></limit></requirements>";
}

/// "A" (2 ms) every 20 ms triggers "B" (3 ms), which triggers "C" (4 ms); "A" and "C" on one core.
std::string sequence(const std::string& requirements = "") {
  return "<swModel>" + task("A", "every_20ms?type=PeriodicStimulus", call("a") + trigger("b")) +
         task("B", "b?type=InterProcessStimulus", call("b") + trigger("c")) +
         task("C", "c?type=InterProcessStimulus", call("c")) + runnable("a", 2'000'000, 0) +
         runnable("b", 3'000'000, 0) + runnable("c", 4'000'000, 0) + "</swModel><stimuliModel>" + every(20) +
         R"(<stimuli xsi:type="am:InterProcessStimulus" name="b"/><stimuli xsi:type="am:InterProcessStimulus" name="c"/>)" +
         "</stimuliModel>" +
         (requirements.empty() ? "" : "<constraintsModel>" + requirements + "</constraintsModel>") +
         small_hardware + small_os +
         mapping(on_core("A", "C0", "3") + on_core("B", "C1", "2") + on_core("C", "C0", "1"));
}

TEST(TriggerDelays, AreWhatTheOthersTakeAtMost) {
  const Imported model = imported(sequence());
  ASSERT_TRUE(model.converted);
  const System& system = model.converted->system;
  ASSERT_THAT(system.tasks, SizeIs(3));
  EXPECT_EQ(system.tasks[0].deadline, milliseconds{2});  // so that its keeping is checked
  EXPECT_EQ(system.tasks[1].jitter, milliseconds{2});
  EXPECT_EQ(system.tasks[1].deadline, milliseconds{5});
  EXPECT_EQ(system.tasks[2].jitter, milliseconds{5});
  EXPECT_EQ(system.tasks[2].deadline, milliseconds{25});  // its period, from its activation on
  EXPECT_EQ(analysis::check(system).verdict, analysis::Verdict::schedulable);
}

TEST(TriggerDelays, ATaskThatOnlyTriggersTakesNoTime) {
  std::string parts = sequence();
  const std::string work = call("b") + trigger("c");
  parts.replace(parts.find(work), work.size(), trigger("c"));
  const Imported model = imported(parts);
  ASSERT_TRUE(model.converted);
  const System& system = model.converted->system;
  ASSERT_THAT(system.tasks, SizeIs(2));
  EXPECT_EQ(system.tasks[1].name, "C");
  EXPECT_EQ(system.tasks[1].jitter, milliseconds{2});  // as late as "A"
}

TEST(TriggerDelays, LimitsCountFromTheActivation) {
  const Imported model = imported(sequence(limit("A", 9) + limit("C", 7)));
  ASSERT_TRUE(model.converted);
  const System& system = model.converted->system;
  EXPECT_EQ(system.tasks[0].deadline, milliseconds{2});
  EXPECT_EQ(system.tasks[2].deadline, milliseconds{12});
}

// The limit of "C" lies beyond the next activation; that matters where a job may still be there then.
TEST(TriggerDelays, JobsCloseBehindEachOtherAreToldWhereTheyMayMeet) {
  const std::string parts = sequence(limit("C", 17));
  const Imported apart = imported(parts);
  ASSERT_TRUE(apart.converted);
  EXPECT_EQ(apart.converted->system.tasks[2].deadline, milliseconds{22});
  EXPECT_FALSE(noticed(apart, "limit-jitter"));
  std::string longer = parts;
  const std::string work = runnable("c", 4'000'000, 0);
  longer.replace(longer.find(work), work.size(), runnable("c", 14'000'000, 0));
  EXPECT_TRUE(noticed(imported(longer), "limit-jitter"));
}

TEST(TriggerDelays, WhatCannotBeProvenDividesThePeriod) {
  Options options;
  options.open = true;
  const Imported model = imported(sequence(), options);
  ASSERT_TRUE(model.converted);
  const System& system = model.converted->system;
  const Duration third = Duration{milliseconds{20}} / 3;
  EXPECT_EQ(system.tasks[0].deadline, third);
  EXPECT_EQ(system.tasks[1].jitter, third);
  EXPECT_EQ(system.tasks[1].deadline, third * 2);
  EXPECT_EQ(system.tasks[2].jitter, third * 2);
}

TEST(TriggerDelays, ALimitThatIsMissedStaysOne) {
  const Imported model = imported(sequence(limit("A", 1)));
  ASSERT_TRUE(model.converted);
  const System& system = model.converted->system;
  EXPECT_EQ(system.tasks[0].deadline, milliseconds{1});
  EXPECT_NE(analysis::check(system).verdict, analysis::Verdict::schedulable);
}

TEST(TriggerDelays, ManyWaysToBeTriggeredAreAProblem) {
  std::string tasks =
      task("T0", "every_20ms?type=PeriodicStimulus", call("a") + trigger("s1") + trigger("s1"));
  std::string stimuli = every(20);
  for (int i = 1; i < 30; ++i) {
    const std::string next = "s" + std::to_string(i + 1);
    tasks += task("T" + std::to_string(i), "s" + std::to_string(i) + "?type=InterProcessStimulus",
                  call("a") + trigger(next) + trigger(next));
  }
  for (int i = 1; i <= 30; ++i)
    stimuli += "<stimuli xsi:type=\"am:InterProcessStimulus\" name=\"s" + std::to_string(i) + "\"/>";
  const Imported model = imported("<swModel>" + tasks + runnable("a", 1000, 0) + "</swModel><stimuliModel>" +
                                  stimuli + "</stimuliModel>" + small_hardware + small_os);
  ASSERT_FALSE(model.converted);
  EXPECT_THAT(model.problems.at(0).message, HasSubstr("in more than 100 ways"));
  EXPECT_THAT(model.problems.at(0).hint, HasSubstr("--period"));
}

TEST(TriggerDelays, ARateThatIsNotKnownIsAskedFor) {
  const std::string parts = "<swModel>" + task("A", "every_20ms?type=PeriodicStimulus", call("a")) +
                            task("B", "x?type=CustomStimulus", call("a")) + runnable("a", 1'000'000, 0) +
                            "</swModel><stimuliModel>" + every(20) +
                            R"(<stimuli xsi:type="am:CustomStimulus" name="x"/></stimuliModel>)" +
                            small_hardware + small_os + mapping(on_core("A", "C0") + on_core("B", "C0"));
  const Imported model = imported(parts);
  ASSERT_FALSE(model.converted);
  EXPECT_THAT(model.problems.at(0).hint, HasSubstr("--period B=10ms, or --period B=never"));
  Options options;
  options.periods["B"] = milliseconds{50};
  ASSERT_TRUE(imported(parts, options).converted);
  EXPECT_EQ(imported(parts, options).converted->system.tasks.at(1).period, milliseconds{50});
  options.periods["B"] = std::nullopt;
  ASSERT_TRUE(imported(parts, options).converted);
  EXPECT_THAT(imported(parts, options).converted->system.tasks, SizeIs(1));
}

}  // namespace
}  // namespace tactus::import
