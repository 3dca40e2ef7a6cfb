// What a model has that its system cannot have is open: that the system holds does not say that the model
// does.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "import/models.hpp"

namespace tactus::import {
namespace {

bool is_open_model(const Imported& model) {
  return std::ranges::any_of(model.findings, [](const Finding& one) { return one.is_open; }) ||
         std::ranges::any_of(model.census.ignored, [](const Ignored& one) { return is_open(one.effect); });
}

struct Parts {
  std::string items = call("r");
  std::string software{};  // beside the task
  std::string stimulus = "every_10ms?type=PeriodicStimulus";
  std::string stimuli{};  // beside that
  std::string os = small_os;
  std::string others{};  // parts of the model
};

/// Task A on the first core, every 10 ms.
Imported with(const Parts& parts, const Options& options = {}) {
  return imported("<swModel>" + task("A", parts.stimulus, parts.items) + runnable("r", 1'000, 0) +
                      parts.software + R"(<events name="done"/></swModel><stimuliModel>)" + every(10) +
                      parts.stimuli + "</stimuliModel>" + small_hardware + parts.os +
                      mapping(on_core("A", "C0", "1") + on_gpu("K")) + parts.others,
                  options);
}

std::string of_event(const std::string& type, const std::string& inside = "") {
  return "<items xsi:type=\"am:" + type + R"("><eventMask events="done?type=OsEvent"/>)" + inside +
         "</items>";
}

/// The task triggers K on the GPU, which sets the event for which it waits.
Imported offloading(const std::string& in_set, const std::string& in_clear) {
  return with(
      {.items =
           call("r") +
           R"(<items xsi:type="am:InterProcessTrigger" stimulus="go?type=InterProcessStimulus"/>)" +
           R"(<items xsi:type="am:WaitEvent" waitingBehaviour="active"><eventMask events="done?type=OsEvent"/></items>)" +
           of_event("ClearEvent", in_clear) + call("r"),
       .software = task("K", "go?type=InterProcessStimulus", call("k") + of_event("SetEvent", in_set)) +
                   runnable("k", 0, 5'000),
       .stimuli = R"(<stimuli xsi:type="am:InterProcessStimulus" name="go"/>)"});
}

TEST(Open, APlainModelIsNot) {
  EXPECT_FALSE(is_open_model(with({})));
  EXPECT_FALSE(is_open_model(offloading("", "")));
}

TEST(Open, EventsThatAreNotSetOrClearedEveryTime) {
  const std::string every_second = R"(<counter prescaler="2"/>)";
  EXPECT_TRUE(is_open_model(offloading(every_second, "")));
  EXPECT_TRUE(is_open_model(offloading("", every_second)));
}

TEST(Open, WhatASchedulerComputes) {
  std::string os = small_os;
  const std::string scheduler = R"(<taskSchedulers name="S">)";
  os.insert(
      os.find(scheduler) + scheduler.size(),
      R"(<computationItems xsi:type="am:Ticks"><default xsi:type="am:DiscreteValueConstant" value="9"/></computationItems>)");
  EXPECT_TRUE(is_open_model(with({.os = os})));
}

TEST(Open, DeadlinesOfRunnablesAndProtectionOfData) {
  EXPECT_TRUE(is_open_model(
      with({.software = R"(<runnables name="late"><deadline value="1" unit="us"/></runnables>)"})));
  EXPECT_TRUE(
      is_open_model(with({.others = R"(<osModel><osDataConsistency mode="handleAllLabels"/></osModel>)"})));
}

TEST(Open, InterruptsThatPlanOrdersOrThatNothingReleases) {
  const std::string come = R"(<isrs name="I" stimuli="every_10ms?type=PeriodicStimulus"><activityGraph>)" +
                           call("r") + "</activityGraph></isrs>";
  Options open;
  open.open = true;
  EXPECT_TRUE(noticed(with({.software = come}, open), "interrupts"));
  const std::string never = R"(<isrs name="I"><activityGraph>)" + call("r") + "</activityGraph></isrs>";
  EXPECT_TRUE(is_open_model(with({.software = never})));
}

TEST(Open, TheRateOfAClockIsAskedFor) {
  const Imported model = with(
      {.stimulus = "c?type=Periodic",
       .stimuli =
           R"(<stimuli xsi:type="am:Periodic" name="c" clock="k?type=ClockTriangleFunction"><recurrence value="10" unit="ms"/></stimuli>)"});
  EXPECT_FALSE(model.converted);
}

TEST(Open, AJobThatComesOnceHasAnHour) {
  const Imported model = with(
      {.stimulus = "s?type=SingleStimulus",
       .stimuli =
           R"(<stimuli xsi:type="am:SingleStimulus" name="s"><occurrence value="1" unit="ms"/></stimuli>)"});
  ASSERT_TRUE(model.converted);
  EXPECT_EQ(model.converted->system.tasks.at(0).deadline, std::chrono::hours{1});
  EXPECT_FALSE(is_open_model(model));
}

}  // namespace
}  // namespace tactus::import
