// Work that a task causes and waits for, in its many forms.
#include "tactus/import/offload.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "import/models.hpp"

namespace tactus::import {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

std::string trigger(const std::string& stimulus) {
  return "<items xsi:type=\"am:InterProcessTrigger\" stimulus=\"" + stimulus +
         "?type=InterProcessStimulus\"/>";
}
std::string event(const std::string& kind, const std::string& name) {
  return "<items xsi:type=\"am:" + kind + "\"><eventMask events=\"" + name + "?type=OsEvent\"/></items>";
}
std::string triggered(const std::string& name) {
  return "<stimuli xsi:type=\"am:InterProcessStimulus\" name=\"" + name + "\"/>";
}

/// With a runnable "c" of 1 ms for cores, "k" of 5 ms for both, and the events "done" and "other".
std::string model_of(const std::string& tasks, const std::string& stimuli, const std::string& allocations) {
  return "<swModel>" + tasks + runnable("c", 1'000'000, 0) + runnable("k", 5'000'000, 5'000'000) +
         "<events name=\"done\"/><events name=\"other\"/></swModel><stimuliModel>" + every(40) + stimuli +
         "</stimuliModel>" + small_hardware + small_os + mapping(allocations);
}

/// The worst cases of a task's segments in milliseconds; those on the GPU are negative.
std::vector<std::int64_t> work_of(const Imported& model, std::size_t task) {
  std::vector<std::int64_t> work;
  for (const Node& node : model.converted->system.tasks.at(task).work.nodes) {
    if (const auto* cpu = std::get_if<CpuSegment>(&node.segment))
      work.push_back(cpu->time.worst / milliseconds{1});
    if (const auto* gpu = std::get_if<ExclusiveSegment>(&node.segment))
      work.push_back(-(gpu->time.worst / milliseconds{1}));
  }
  return work;
}

const std::string every_40 = "every_40ms?type=PeriodicStimulus";
const std::string go = "go?type=InterProcessStimulus";
const std::string served = task("K", go, call("k") + event("SetEvent", "done"));

TEST(Offload, TwiceInAJob) {
  const std::string once = trigger("go") + event("WaitEvent", "done") + call("c");
  const Imported model = imported(model_of(task("A", every_40, call("c") + once + once) + served,
                                           triggered("go"), on_core("A", "C0") + on_gpu("K")));
  ASSERT_TRUE(model.converted);
  ASSERT_THAT(model.converted->system.tasks, SizeIs(1));
  EXPECT_THAT(work_of(model, 0), ElementsAre(1, -5, 1, -5, 1));
}

TEST(Offload, ThroughATaskBetween) {
  const Imported model = imported(
      model_of(task("A", every_40, call("c") + trigger("go") + event("WaitEvent", "done")) +
                   task("B", go, call("c") + trigger("on")) +
                   task("K", "on?type=InterProcessStimulus", call("k") + event("SetEvent", "done")),
               triggered("go") + triggered("on"), on_core("A", "C0") + on_core("B", "C0") + on_gpu("K")));
  ASSERT_TRUE(model.converted);
  ASSERT_THAT(model.converted->system.tasks, SizeIs(1));
  EXPECT_THAT(work_of(model, 0), ElementsAre(2, -5, 0));  // it needs its core to end
}

TEST(Offload, OneTaskForTwo) {
  const std::string work = call("c") + trigger("go") + event("WaitEvent", "done") + call("c");
  const Imported model =
      imported(model_of(task("A", every_40, work) + task("B", every_40, work) + served, triggered("go"),
                        on_core("A", "C0") + on_core("B", "C1") + on_gpu("K")));
  ASSERT_TRUE(model.converted);
  ASSERT_THAT(model.converted->system.tasks, SizeIs(2));
  // Its own work, and that for the other before it.
  EXPECT_THAT(work_of(model, 0), ElementsAre(1, -10, 1));
  EXPECT_TRUE(noticed(model, "offload-shared"));
}

TEST(Offload, WhatOthersTriggerTooStaysATask) {
  const Imported model =
      imported(model_of(task("A", every_40, call("c") + trigger("go") + event("WaitEvent", "done")) +
                            task("B", every_40, call("c") + trigger("go")) + served,
                        triggered("go"), on_core("A", "C0") + on_core("B", "C1") + on_gpu("K")));
  ASSERT_TRUE(model.converted);
  EXPECT_THAT(work_of(model, 0), ElementsAre(1, -5, 0));
  EXPECT_THAT(model.converted->system.tasks, SizeIs(4));  // and K for each of the two
}

TEST(Offload, AWaitForOthersIsAskedFor) {
  const std::string parts = model_of(
      task("A", every_40, call("c") + trigger("go") + event("WaitEvent", "other") + call("c")) + served,
      triggered("go"), on_core("A", "C0") + on_gpu("K"));
  const Imported model = imported(parts);
  ASSERT_FALSE(model.converted);
  EXPECT_THAT(model.problems.at(0).message, HasSubstr("waits here for an event"));
  EXPECT_THAT(model.problems.at(0).hint, HasSubstr("--ignore-waits"));
  Options options;
  options.ignore_waits = true;
  const Imported without = imported(parts, options);
  ASSERT_TRUE(without.converted);
  EXPECT_TRUE(noticed(without, "wait"));
  EXPECT_THAT(without.converted->system.tasks, SizeIs(2));
}

TEST(Offload, TriggeringNeedsTheCore) {
  const std::string once = trigger("go") + event("WaitEvent", "done");
  const Imported model = imported(
      model_of(task("A", every_40, once + once) + served, triggered("go"), on_core("A", "C0") + on_gpu("K")));
  ASSERT_TRUE(model.converted);
  EXPECT_THAT(work_of(model, 0), ElementsAre(0, -5, 0, -5, 0));
  const Segment& first = model.converted->system.tasks.at(0).work.nodes.at(0).segment;
  EXPECT_EQ(std::get<CpuSegment>(first).time.worst, std::chrono::nanoseconds{1});
}

// For others on its core the task may do all of its work in one go.
TEST(Offload, WorkBesideTheTaskLeavesNoGap) {
  const auto best_of_gpu = [](const std::string& steps, const Options& options = {}) {
    const Imported model = imported(
        model_of(task("A", every_40, steps) + served, triggered("go"), on_core("A", "C0") + on_gpu("K")),
        options);
    if (!model.converted) return Duration{-1};
    for (const Node& node : model.converted->system.tasks.at(0).work.nodes) {
      if (const auto* gpu = std::get_if<ExclusiveSegment>(&node.segment)) return gpu->time.best;
    }
    return Duration{-1};
  };
  const std::string wait = event("WaitEvent", "done") + clear("done");
  EXPECT_EQ(best_of_gpu(call("c") + trigger("go") + wait + call("c")), milliseconds{5});
  EXPECT_EQ(best_of_gpu(call("c") + trigger("go") + call("c") + wait), Duration{});
  const std::string either = "<items xsi:type=\"am:ProbabilitySwitch\"><entries probability=\"0.5\">" +
                             trigger("go") + wait + "</entries><entries probability=\"0.5\"/></items>";
  EXPECT_EQ(best_of_gpu(call("c") + either + call("c")), Duration{});
  Options worst;
  worst.times = Times::worst;
  EXPECT_EQ(best_of_gpu(call("c") + either + call("c"), worst), Duration{});
}

// What the task may do without, or not wait for, leaves no gap for certain.

Imported waiting_task(const std::string& steps, const std::string& more = "",
                      const std::string& worker = served) {
  return imported(model_of(task("A", every_40, steps) + worker + more, triggered("go"),
                           on_core("A", "C0") + on_gpu("K")));
}

Duration best_gap(const Imported& model) {
  if (!model.converted) return Duration{-1};
  for (const Node& node : model.converted->system.tasks.at(0).work.nodes) {
    if (const auto* gpu = std::get_if<ExclusiveSegment>(&node.segment)) return gpu->time.best;
    if (const auto* kernel = std::get_if<KernelSegment>(&node.segment)) return kernel->block_time.best;
  }
  return Duration{-1};
}

const std::string once = trigger("go") + event("WaitEvent", "done") + clear("done");

std::string every_second_time(const std::string& runnable) {
  return "<items xsi:type=\"am:RunnableCall\" runnable=\"" + runnable +
         "?type=Runnable\"><counter prescaler=\"2\"/></items>";
}

std::string runnable_of(const std::string& name, const std::string& items) {
  return "<runnables name=\"" + name + "\"><activityGraph>" + items + "</activityGraph></runnables>";
}

std::string either(const std::string& one, const std::string& other) {
  return "<items xsi:type=\"am:ProbabilitySwitch\"><entries probability=\"0.5\">" + one +
         "</entries><entries probability=\"0.5\">" + other + "</entries></items>";
}

TEST(Offload, ARunnableThatIsCalledNowAndThenLeavesNoGap) {
  const Imported model =
      waiting_task(call("c") + every_second_time("offload") + call("c"), runnable_of("offload", once));
  EXPECT_EQ(best_gap(model), Duration{});
  EXPECT_TRUE(noticed(model, "choice-around-trigger"));
  EXPECT_FALSE(noticed(model, "early-event"));
  EXPECT_FALSE(noticed(model, "wait"));
}

TEST(Offload, AnEventThatIsNotClearedIsSetEarly) {
  const Imported model = waiting_task(call("c") + trigger("go") + event("WaitEvent", "done") + call("c"));
  EXPECT_EQ(best_gap(model), Duration{});
  EXPECT_TRUE(noticed(model, "early-event"));
  // Before the trigger is as good, but not under a condition of its own.
  const std::string rest = trigger("go") + event("WaitEvent", "done") + call("c");
  const Imported before = waiting_task(call("c") + clear("done") + rest);
  EXPECT_EQ(best_gap(before), milliseconds{5});
  EXPECT_FALSE(noticed(before, "early-event"));
  EXPECT_TRUE(noticed(waiting_task(call("c") + either(clear("done"), "") + rest), "early-event"));
  EXPECT_TRUE(noticed(waiting_task(rest + either(clear("done"), "")), "early-event"));
  EXPECT_FALSE(noticed(waiting_task(either(clear("done") + rest, "")), "early-event"));
  // The second wait goes on at once.
  EXPECT_TRUE(noticed(waiting_task(rest + rest + clear("done")), "early-event"));
  EXPECT_TRUE(
      noticed(waiting_task(trigger("go") + clear("done") + event("WaitEvent", "done")), "early-event"));
}

TEST(Offload, AnEventThatIsClearedIsNotSetBeforeTheNextTrigger) {
  EXPECT_FALSE(waiting_task(once + event("WaitEvent", "done")).converted);
  EXPECT_TRUE(waiting_task(once + once).converted);
}

TEST(Offload, AnEventThatOthersSetIsSetEarly) {
  const std::string other = task("B", every_40, call("c") + event("SetEvent", "done"));
  const Imported model = waiting_task(call("c") + once + call("c"), other);
  EXPECT_EQ(best_gap(model), Duration{});
  EXPECT_TRUE(noticed(model, "early-event"));
  std::string of_another = other;
  of_another.insert(of_another.find("am:SetEvent\"") + 12, " process=\"B?type=Task\"");
  const Imported elsewhere = waiting_task(call("c") + once + call("c"), of_another);
  EXPECT_EQ(best_gap(elsewhere), milliseconds{5});
  EXPECT_FALSE(noticed(elsewhere, "early-event"));
}

TEST(Offload, AWaitForWhatMayNotComeIsAWarning) {
  const std::string wait = event("WaitEvent", "done") + clear("done");
  const Imported model = waiting_task(call("c") + either(trigger("go"), "") + wait);
  EXPECT_EQ(best_gap(model), Duration{});
  EXPECT_TRUE(noticed(model, "wait"));
  const std::string now_and_then =
      "<items xsi:type=\"am:InterProcessTrigger\" stimulus=\"go?type=InterProcessStimulus\"><counter "
      "prescaler=\"2\"/></items>";
  EXPECT_TRUE(noticed(waiting_task(call("c") + now_and_then + wait), "wait"));
  EXPECT_TRUE(noticed(
      waiting_task(call("c") + once, "", task("K", go, call("k") + either(event("SetEvent", "done"), ""))),
      "wait"));
  EXPECT_FALSE(noticed(waiting_task(call("c") + once), "wait"));
}

TEST(Offload, WorkThatIsNotWaitedForInEachJobIsOutstanding) {
  const std::string wait = event("WaitEvent", "done") + clear("done");
  const Imported model =
      waiting_task(call("c") + trigger("go") + either(wait, "") + call("c") + trigger("go") + wait);
  EXPECT_EQ(best_gap(model), Duration{});
  EXPECT_TRUE(noticed(model, "outstanding"));
  EXPECT_FALSE(noticed(waiting_task(once + call("c") + once), "outstanding"));
}

TEST(Offload, OneOfSeveralEventsMayBeEnough) {
  const std::string first =
      R"(<items xsi:type="am:WaitEvent" maskType="OR"><eventMask events="done?type=OsEvent other?type=OsEvent"/></items>)";
  const Imported model = imported(
      model_of(task("A", every_40,
                    call("c") + trigger("go") + trigger("on") + first + clear("done") + clear("other") +
                        call("c") + trigger("go") + first) +
                   served + task("L", "on?type=InterProcessStimulus", call("k") + event("SetEvent", "other")),
               triggered("go") + triggered("on"), on_core("A", "C0") + on_gpu("K") + on_gpu("L")));
  EXPECT_EQ(best_gap(model), Duration{});
  EXPECT_TRUE(noticed(model, "outstanding"));
}

TEST(Offload, KernelsUnderAConditionLeaveNoGap) {
  const auto kernel = [](const std::string& name, std::int64_t ticks) {
    return runnable(
        name, 0, ticks,
        R"(<customProperties key="GridSize"><value xsi:type="am:IntegerObject" value="8"/></customProperties>)");
  };
  const Imported model =
      waiting_task(call("c") + once + call("c"), kernel("one", 8'000'000) + kernel("two", 1000),
                   task("K", go, either(call("one"), call("two")) + event("SetEvent", "done")));
  EXPECT_EQ(best_gap(model), Duration{});
}

TEST(Offload, CopiesThatMayNotHappenLeaveNoGap) {
  const std::string copy =
      "<labels name=\"H\"><size value=\"64\" unit=\"kB\"/></labels>" +
      runnable_of("copy", R"(<items xsi:type="am:LabelAccess" data="H?type=Label" access="read"/>)");
  const auto copy_time = [&](const std::string& calls) {
    const Imported model = waiting_task(call("c") + once + call("c"), copy,
                                        task("K", go, calls + call("k") + event("SetEvent", "done")));
    for (const Node& node : model.converted.value().system.tasks.at(0).work.nodes) {
      if (const auto* found = std::get_if<CopySegment>(&node.segment)) return found->time;
    }
    return Interval{};
  };
  const auto us = [](std::int64_t count) { return std::chrono::microseconds{count}; };
  EXPECT_EQ(copy_time(call("copy")), Interval::exactly(us(5)));
  EXPECT_EQ(copy_time(every_second_time("copy")), (Interval{Duration{}, us(5)}));
  EXPECT_EQ(copy_time(either(call("copy"), "")), (Interval{Duration{}, us(5)}));
  EXPECT_EQ(copy_time(either(call("copy") + call("copy"), call("copy"))), (Interval{us(5), us(10)}));
}

TEST(Offload, WorkThatIsTriggeredAgainWithoutAWaitIsNotLost) {
  const Imported model = waiting_task(once + trigger("go"));
  ASSERT_TRUE(model.converted);
  EXPECT_THAT(model.converted->system.tasks, SizeIs(3));  // and K for each trigger
}

// Waits that do not say whether they keep their core.

TEST(Offload, AWaitThatDoesNotSayKeepsItsCore) {
  const auto model = [](const std::string& behaviour, const std::string& other = "") {
    std::string steps = once;
    steps.insert(steps.find("am:WaitEvent\"") + 13, behaviour);
    return imported(
        model_of(task("A", every_40, call("c") + steps + call("c")) + served + other,
                 triggered("go") + triggered("on"),
                 on_core("A", "C0", "2") + on_gpu("K") + on_core("B", "C0", "1") + on_core("L", "C1")));
  };
  const auto severity = [](const Imported& imported) {
    for (const Finding& one : imported.findings) {
      if (one.kind == "waiting") return one.is_open ? "open" : "assumed";
    }
    return "not told";
  };
  const auto wait_of = [](const Imported& imported) {
    return imported.converted.value().system.tasks.at(0).wait;
  };
  EXPECT_EQ(wait_of(model("")), Waiting::busy);
  EXPECT_STREQ(severity(model("")), "assumed");
  EXPECT_STREQ(severity(model("", task("B", every_40, call("c")))), "assumed");
  for (const char* said : {" waitingBehaviour=\"active\"", " waitingBehaviour=\"passive\""}) {
    EXPECT_EQ(wait_of(model(said)) == Waiting::busy,
              std::string_view{said}.find("passive") == std::string_view::npos)
        << said;
    EXPECT_STREQ(severity(model(said)), "not told");
  }
  // What runs in the gap may be in the way behind it.
  std::string in_one_go = task("B", every_40, call("c"));
  in_one_go.insert(7, "preemption=\"non_preemptive\" ");
  EXPECT_STREQ(severity(model("", in_one_go)), "open");
  EXPECT_STREQ(severity(model("", task("B", every_40, trigger("on") + event("WaitEvent", "other")) +
                                      task("L", "on?type=InterProcessStimulus",
                                           call("k") + event("SetEvent", "other")))),
               "open");
}

// Several tasks for one trigger.

TEST(Offload, AllTasksThatATriggerActivatesAreWaitedFor) {
  const auto both = [](const std::string& mask) {
    return "<items xsi:type=\"am:WaitEvent\" maskType=\"" + mask +
           R"("><eventMask events="done?type=OsEvent other?type=OsEvent"/></items>)";
  };
  const auto model_with = [](const std::string& steps, const std::string& worker) {
    return imported(
        model_of(task("A", every_40, call("c") + trigger("go") + steps + call("c")) + served + worker,
                 triggered("go"), on_core("A", "C0") + on_gpu("K") + on_core("L", "C1")));
  };
  const std::string other = task("L", go, call("c") + call("c") + event("SetEvent", "other"));
  const std::string cleared = clear("done") + clear("other");
  const Imported model = model_with(both("AND") + cleared, other);
  ASSERT_TRUE(model.converted);
  ASSERT_THAT(model.converted->system.tasks, SizeIs(1));
  EXPECT_THAT(work_of(model, 0), ElementsAre(1, -5, 2, 1));
  EXPECT_EQ(best_gap(model), Duration{});
  EXPECT_FALSE(noticed(model, "outstanding"));
  EXPECT_FALSE(noticed(model, "early-event"));
  // One after the other is the same work.
  const Imported in_turn =
      model_with(event("WaitEvent", "other") + event("WaitEvent", "done") + cleared, other);
  EXPECT_THAT(work_of(in_turn, 0), ElementsAre(1, 2, -5, 1));
  EXPECT_EQ(best_gap(in_turn), Duration{});
  // What nobody waits for stays a task.
  const Imported alone = model_with(event("WaitEvent", "done") + cleared, other);
  ASSERT_TRUE(alone.converted);
  EXPECT_THAT(alone.converted->system.tasks, SizeIs(2));
  EXPECT_THAT(work_of(alone, 0), ElementsAre(1, -5, 1));
}

TEST(Offload, AllEventsOfAWaitMustBeCaused) {
  const std::string both =
      R"(<items xsi:type="am:WaitEvent" maskType="AND"><eventMask events="done?type=OsEvent other?type=OsEvent"/></items>)";
  EXPECT_FALSE(imported(model_of(task("A", every_40, call("c") + trigger("go") + both) + served,
                                 triggered("go"), on_core("A", "C0") + on_gpu("K")))
                   .converted);
}

TEST(Offload, WorkOnTheGpuDoesNotWait) {
  const Imported model = imported(model_of(
      task("A", every_40, call("c") + trigger("go") + event("WaitEvent", "done")) +
          task("K", go, call("k") + trigger("on") + event("WaitEvent", "other") + event("SetEvent", "done")) +
          task("L", "on?type=InterProcessStimulus", call("c") + event("SetEvent", "other")),
      triggered("go") + triggered("on"), on_core("A", "C0") + on_gpu("K") + on_core("L", "C1")));
  EXPECT_FALSE(model.converted);
  EXPECT_THAT(model.problems.at(0).message, HasSubstr("runs on the GPU and waits"));
}

TEST(Offload, LoopsAroundTriggersAreRunAsOftenAsIsSaid) {
  const std::string body = trigger("go") + event("WaitEvent", "done") + call("c");
  const std::string parts =
      model_of(task("A", every_40, "<items xsi:type=\"am:WhileLoop\">" + body + "</items>") + served,
               triggered("go"), on_core("A", "C0") + on_gpu("K"));
  const Imported model = imported(parts);
  ASSERT_FALSE(model.converted);
  EXPECT_THAT(model.problems.at(0).hint, HasSubstr("--loops"));
  Options options;
  options.loops = 2;
  ASSERT_TRUE(imported(parts, options).converted);
  EXPECT_THAT(work_of(imported(parts, options), 0), ElementsAre(0, -5, 1, -5, 1));
}

TEST(Offload, AnotherPriorityOfTheWorkIsAWarning) {
  const Imported model =
      imported(model_of(task("A", every_40, call("c") + trigger("go") + event("WaitEvent", "done")) + served,
                        triggered("go"), on_core("A", "C0", "5") + on_core("K", "C1", "1")));
  ASSERT_TRUE(model.converted);
  EXPECT_TRUE(noticed(model, "offload-priority"));
}

TEST(Offload, AKernelBelowAnotherRunnableKeepsItsGrid) {
  const std::string grid =
      R"(<customProperties key="GridSize"><value xsi:type="am:IntegerObject" value="8"/></customProperties>)";
  const std::string parts =
      "<swModel>" + task("A", every_40, call("c") + trigger("go") + event("WaitEvent", "done")) +
      task("K", go, call("outer") + event("SetEvent", "done")) + runnable("c", 1'000'000, 0) +
      runnable("inner", 0, 1'000'000, grid) + "<runnables name=\"outer\"><activityGraph>" + call("inner") +
      "</activityGraph></runnables><events name=\"done\"/></swModel><stimuliModel>" + every(40) +
      triggered("go") + "</stimuliModel>" + small_hardware + small_os +
      mapping(on_core("A", "C0") + on_gpu("K"));
  const Imported model = imported(parts);
  ASSERT_TRUE(model.converted);
  const Node& kernel = model.converted->system.tasks.at(0).work.nodes.at(1);
  ASSERT_TRUE(std::holds_alternative<KernelSegment>(kernel.segment));
  EXPECT_EQ(std::get<KernelSegment>(kernel.segment).grid[0], 8);
}

TEST(Offload, WorkThatOnlyTheGpuCanDoIsThereWithoutAnAllocation) {
  const auto converted = [](std::int64_t on_cores) {
    return imported(
        "<swModel>" +
        task(
            "A", "every_10ms?type=PeriodicStimulus",
            call("r") +
                R"(<items xsi:type="am:InterProcessTrigger" stimulus="go?type=InterProcessStimulus"/><items xsi:type="am:WaitEvent"><eventMask events="done?type=OsEvent"/></items>)" +
                call("r")) +
        task(
            "B", "go?type=InterProcessStimulus",
            call("k") +
                R"(<items xsi:type="am:SetEvent" process="A?type=Task"><eventMask events="done?type=OsEvent"/></items>)") +
        task("C", "every_20ms?type=PeriodicStimulus", call("k")) + runnable("r", 1'000, 0) +
        runnable("k", on_cores, 5'000) + R"(<events name="done"/></swModel><stimuliModel>)" + every(10) +
        every(20) + R"(<stimuli xsi:type="am:InterProcessStimulus" name="go"/></stimuliModel>)" +
        small_hardware);
  };
  const Imported model = converted(0);
  ASSERT_TRUE(model.converted) << model.problems.at(0).message;
  ASSERT_EQ(model.converted->system.tasks.size(), 2U);
  const auto& nodes = model.converted->system.tasks[0].work.nodes;
  ASSERT_EQ(nodes.size(), 3U);
  EXPECT_EQ(nodes[1].segment, (Segment{ExclusiveSegment{{Duration{}, nanoseconds(5'000)}}}));
  EXPECT_TRUE(uses_gpu(model.converted->system.tasks[1].work));
  std::size_t told = 0;
  for (const Finding& one : model.findings) {
    if (one.kind == "no-allocation" && one.message.find("only a GPU has ticks") != std::string::npos) ++told;
  }
  EXPECT_EQ(told, 2U);
  const Imported on_core = converted(7'000);
  ASSERT_TRUE(on_core.converted);
  EXPECT_FALSE(uses_gpu(on_core.converted->system.tasks[1].work));
}

}  // namespace
}  // namespace tactus::import
