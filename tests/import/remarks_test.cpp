// What is said of a model, and in which words.
#include "tactus/import/remarks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "import/models.hpp"

namespace tactus::import {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> messages_of(const Imported& model, std::string_view kind) {
  std::vector<std::string> found;
  for (const Finding& one : model.findings) {
    if (one.kind == kind) found.push_back(one.message);
  }
  return found;
}

TEST(Remarks, AModelOfHardwareAloneIsSaidToBeOne) {
  const Imported model = imported(small_hardware);
  ASSERT_FALSE(model.problems.empty());
  EXPECT_THAT(model.problems[0].message, HasSubstr("describes hardware only"));
  EXPECT_THAT(model.problems[0].hint, HasSubstr("folder"));
  const Imported no_tasks = imported("<swModel>" + runnable("r", 1000, 0) + "</swModel>" + small_hardware);
  ASSERT_FALSE(no_tasks.problems.empty());
  EXPECT_THAT(no_tasks.problems[0].message,
              AllOf(HasSubstr("the model has no tasks"), Not(HasSubstr("hardware only"))));
}

TEST(Remarks, LabelsThatModesAndInterruptsUseAreNotUnused) {
  const Imported model = imported(
      R"(<swModel><tasks name="A"><activityGraph><items xsi:type="am:ModeSwitch"><entries><condition><entries xsi:type="am:ModeValue" valueProvider="read?type=ModeLabel"/></condition></entries></items></activityGraph></tasks>
<isrs name="I"><activityGraph><items xsi:type="am:LabelAccess" data="shared?type=Label" access="read"/></activityGraph></isrs>
<runnables name="r"><customProperties key="k"><value xsi:type="am:ReferenceObject" value="alone?type=Label"/></customProperties><activityGraph><items xsi:type="am:ModeLabelAccess" data="written?type=ModeLabel" access="write"/></activityGraph></runnables>
<modeLabels name="read"/><modeLabels name="written"/><modeLabels name="idle"/><labels name="shared"/><labels name="alone"/></swModel>)" +
      small_hardware +
      R"(<mappingModel><memoryMapping abstractElement="read?type=ModeLabel written?type=ModeLabel" memory="RAM?type=Memory"/>
<memoryMapping abstractElement="written?type=ModeLabel" memory="RAM?type=Memory"/><memoryMapping abstractElement="idle?type=ModeLabel" memory="RAM?type=Memory"/>
<memoryMapping abstractElement="shared?type=Label" memory="RAM?type=Memory"/><memoryMapping abstractElement="alone?type=Label" memory="RAM?type=Memory"/>
<memoryMapping abstractElement="r?type=Runnable" memory="RAM?type=Memory"/></mappingModel>)");
  EXPECT_THAT(messages_of(model, "unused-labels"),
              ElementsAre("labels that are mapped to a memory and never accessed: alone, idle"));
}

TEST(Remarks, OneAndSeveralHaveTheirForms) {
  const auto port = [](int count) {
    std::string ports;
    for (int i = 0; i < count; ++i) ports += "<ports name=\"p" + std::to_string(i) + "\"/>";
    return imported("<hwModel>" + ports + "</hwModel>" + small_hardware);
  };
  EXPECT_THAT(messages_of(port(1), "no-connections"),
              ElementsAre("the hardware has 1 port and no connection to it"));
  EXPECT_THAT(messages_of(port(2), "no-connections"),
              ElementsAre("the hardware has 2 ports and no connection between them"));
  const auto limits = [](const std::string& tasks) {
    return messages_of(imported("<swModel>" + tasks + "</swModel>" + small_hardware), "activation-limit");
  };
  const std::string one = R"(<tasks name="A" multipleTaskActivationLimit="0"/>)";
  EXPECT_THAT(limits(one), ElementsAre(HasSubstr("0 for 1 task;")));
  EXPECT_THAT(limits(one + R"(<tasks name="B" multipleTaskActivationLimit="0"/>)"),
              ElementsAre(HasSubstr("0 for 2 tasks;")));
}

TEST(Remarks, ATriggerThatActivatesNothingIsNotedOnce) {
  const Imported model = imported(
      "<swModel>" +
      task(
          "A", "every_10ms?type=PeriodicStimulus",
          call("r") +
              R"(<items xsi:type="am:Switch"><entries><items xsi:type="am:InterProcessTrigger" stimulus="go?type=InterProcessStimulus"/></entries></items>)") +
      runnable("r", 1000, 0) + "</swModel><stimuliModel>" + every(10) +
      R"(<stimuli xsi:type="am:InterProcessStimulus" name="go"/></stimuliModel>)" + small_hardware +
      small_os + mapping(on_core("A", "C0")));
  ASSERT_TRUE(model.converted);
  EXPECT_EQ(messages_of(model, "choice-around-trigger").size(), 1U);
  EXPECT_THAT(messages_of(model, "trigger-without-task"),
              ElementsAre("`A` triggers `go`, which activates no task"));
}

TEST(Remarks, TriggersOfTasksAreNotNoted) {
  const Imported model = imported(
      "<swModel>" +
      task("A", "every_10ms?type=PeriodicStimulus",
           call("r") +
               R"(<items xsi:type="am:InterProcessTrigger" stimulus="go?type=InterProcessStimulus"/>)") +
      task("B", "go?type=InterProcessStimulus", call("r")) + runnable("r", 1000, 0) +
      "</swModel><stimuliModel>" + every(10) +
      R"(<stimuli xsi:type="am:InterProcessStimulus" name="go"/></stimuliModel>)" + small_hardware +
      small_os + mapping(on_core("A", "C0") + on_core("B", "C1")));
  EXPECT_THAT(messages_of(model, "trigger-without-task"), IsEmpty());
}

}  // namespace
}  // namespace tactus::import
