// What a model becomes.
#include "tactus/import/convert.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "import/models.hpp"
#include "tactus/io/system_file.hpp"

namespace tactus::import {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::SizeIs;

std::string software(const std::string& inside) { return "<swModel>" + inside + "</swModel>"; }
std::string stimuli(const std::string& inside) { return "<stimuliModel>" + inside + "</stimuliModel>"; }

/// A task "A" of 10 ms that offloads "B" to the GPU.
std::string offload(const std::string& behaviour, const std::string& grid = "") {
  return software(
             task("A", "every_10ms?type=PeriodicStimulus",
                  call("pre") +
                      R"(<items xsi:type="am:InterProcessTrigger" stimulus="go?type=InterProcessStimulus"/>
        <items xsi:type="am:WaitEvent" waitingBehaviour=")" +
                      behaviour + R"("><eventMask events="done?type=OsEvent"/></items>)" + clear("done") +
                      call("post")) +
             task(
                 "B", "go?type=InterProcessStimulus",
                 call("in") + call("kernel") + call("out") +
                     R"(<items xsi:type="am:SetEvent" process="A?type=Task"><eventMask events="done?type=OsEvent"/></items>)") +
             runnable("pre", 1'000'000, 0) + runnable("post", 500'000, 0) +
             runnable("kernel", 8'000'000, 3'000'000, grid) +
             R"(<runnables name="in"><activityGraph><items xsi:type="am:LabelAccess" data="H?type=Label" access="read"/>
                <items xsi:type="am:LabelAccess" data="D?type=Label" access="write"/></activityGraph></runnables>
                <runnables name="out"><activityGraph><items xsi:type="am:LabelAccess" data="D?type=Label" access="read"/>
                <items xsi:type="am:LabelAccess" data="H?type=Label" access="write"/></activityGraph></runnables>
                <labels name="H"><size value="64" unit="kB"/></labels><labels name="D"><size value="64" unit="kB"/></labels><events name="done"/>)") +
         stimuli(every(10) + R"(<stimuli xsi:type="am:InterProcessStimulus" name="go"/>)") + small_hardware +
         small_os + mapping(on_core("A", "C1") + on_gpu("B"));
}

TEST(Convert, OffloadedWorkBecomesPartOfTheTaskThatWaitsForIt) {
  const Imported model = imported(offload("passive"));
  ASSERT_TRUE(model.converted);
  const System& system = model.converted->system;
  ASSERT_THAT(system.tasks, SizeIs(1));
  const Task& task = system.tasks[0];
  EXPECT_EQ(task.name, "A");
  EXPECT_EQ(task.core, 1);
  EXPECT_EQ(task.wait, Waiting::suspend);
  ASSERT_THAT(task.work.nodes, SizeIs(5));
  EXPECT_EQ(task.work.nodes[0].segment, Segment{CpuSegment{Interval::exactly(milliseconds{1})}});
  // 1000 lines, read and written, at 5 cycles each.
  EXPECT_EQ(task.work.nodes[1].segment, (Segment{CopySegment{Interval::exactly(microseconds{10}), {}}}));
  EXPECT_EQ(task.work.nodes[2].segment, Segment{ExclusiveSegment{Interval::exactly(milliseconds{3})}});
  EXPECT_EQ(task.work.nodes[3].segment, (Segment{CopySegment{Interval::exactly(microseconds{10}), {}}}));
  EXPECT_EQ(task.work.nodes[4].segment, Segment{CpuSegment{Interval::exactly(microseconds{500})}});
  EXPECT_EQ(system.policy.strategy->name, "time-sliced");
  EXPECT_EQ(system.platform.gpu.sms, 2);
  EXPECT_EQ(system.platform.clusters, std::vector<std::int32_t>{2});
}

TEST(Convert, ALimitOfOffloadedWorkIsOpen) {
  const Imported model = imported(
      offload("passive") +
      R"(<constraintsModel><requirements xsi:type="am:ProcessRequirement" name="limit" process="B?type=Task"><limit xsi:type="am:TimeRequirementLimit" limitType="UpperLimit" metric="ResponseTime"><limitValue value="1" unit="us"/></limit></requirements></constraintsModel>)");
  EXPECT_THAT(model.findings,
              testing::Contains(testing::AllOf(
                  testing::Field(&Finding::is_open, true),
                  testing::Field(&Finding::message, HasSubstr("part of the task that waits for it")))));
}

TEST(Convert, OneCaseOfTheTimesIsNotTheModel) {
  const std::string alone =
      software(task("A", "every_10ms?type=PeriodicStimulus", call("r")) + runnable("r", 1000, 0)) +
      stimuli(every(10)) + small_hardware + small_os + mapping(on_core("A", "C1"));
  const auto is_warned_about = [](const std::string& parts, Times times) {
    Options options;
    options.times = times;
    return noticed(imported(parts, options), "one-case");
  };
  EXPECT_FALSE(is_warned_about(offload("passive"), Times::bounds));
  EXPECT_TRUE(is_warned_about(offload("passive"), Times::worst));
  EXPECT_FALSE(is_warned_about(alone, Times::worst));  // nothing comes closer where it takes less
  EXPECT_TRUE(is_warned_about(alone, Times::average));
}

TEST(Convert, AnActiveWaitIsBusy) {
  const Imported model = imported(offload("active"));
  ASSERT_TRUE(model.converted);
  EXPECT_EQ(model.converted->system.tasks[0].wait, Waiting::busy);
}

TEST(Convert, AGridMakesAKernel) {
  const Imported model = imported(offload(
      "passive",
      R"(<customProperties key="GridSize"><value xsi:type="am:StringObject" value="7.0"/></customProperties>)"));
  ASSERT_TRUE(model.converted);
  const auto* kernel = std::get_if<KernelSegment>(&model.converted->system.tasks[0].work.nodes[2].segment);
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(kernel->blocks(), 7);
  EXPECT_EQ(kernel->block, 512);
  EXPECT_EQ(kernel->block_time, Interval::exactly(milliseconds{3}));
  EXPECT_EQ(model.converted->system.policy.strategy->name, "as-submitted");
  EXPECT_TRUE(noticed(model, "block-size"));
}

TEST(Convert, CopiesTakeLatencyOrRate) {
  Options options;
  options.access = AccessTime::rate;
  const Imported by_rate = imported(offload("passive"), options);
  // 64 kB at 10 GB/s, twice.
  EXPECT_EQ(std::get<CopySegment>(by_rate.converted->system.tasks[0].work.nodes[1].segment).time,
            Interval::exactly(nanoseconds(12'800)));
  options.access = AccessTime::none;
  EXPECT_THAT(imported(offload("passive"), options).converted->system.tasks[0].work.nodes, SizeIs(3));
  options.access = AccessTime::latency;
  options.line_size = 128;
  const Imported wide = imported(offload("passive"), options);
  EXPECT_EQ(std::get<CopySegment>(wide.converted->system.tasks[0].work.nodes[1].segment).time,
            Interval::exactly(microseconds{5}));
}

TEST(Convert, OpenModelsLeaveTheCoreAndTheVariantToPlan) {
  Options options;
  options.open = true;
  const Imported model = imported(offload("passive"), options);
  ASSERT_TRUE(model.converted) << (model.problems.empty() ? "" : model.problems[0].message);
  const Task& task = model.converted->system.tasks[0];
  EXPECT_TRUE(task.any_core);
  ASSERT_THAT(task.choices, SizeIs(1));
  EXPECT_EQ(task.choices[0].variants[1],
            std::vector<Segment>{CpuSegment{Interval::exactly(microseconds{9500})}});
  options.kernel_alone = true;
  const Imported alone = imported(offload("passive"), options);
  EXPECT_EQ(alone.converted->system.tasks[0].choices[0].variants[1],
            std::vector<Segment>{CpuSegment{Interval::exactly(milliseconds{8})}});
}

TEST(Convert, TheFileIsOneThatTactusReads) {
  for (const bool open : {false, true}) {
    Options options;
    options.open = open;
    const Imported model = imported(offload("active"), options);
    const std::string text = to_commented_file(model);
    EXPECT_THAT(text, HasSubstr("# Made of m.amxmi (AMALTHEA 0.9.8)"));
    const ReadResult read =
        read_system(text, "m.yaml", open ? Completeness::to_be_planned : Completeness::complete);
    ASSERT_TRUE(read.system) << text;
    EXPECT_EQ(*read.system, model.converted->system);
  }
}

TEST(Convert, WorkThatNobodyWaitsForIsATaskOfItsOwn) {
  const Imported model = imported(
      software(
          task(
              "A", "every_10ms?type=PeriodicStimulus",
              call("a") +
                  R"(<items xsi:type="am:InterProcessTrigger" stimulus="go?type=InterProcessStimulus"><counter prescaler="3"/></items>)") +
          task("B", "go?type=InterProcessStimulus", call("b")) + runnable("a", 1000, 0) +
          runnable("b", 0, 2000)) +
      stimuli(every(10) + R"(<stimuli xsi:type="am:InterProcessStimulus" name="go"/>)") + small_hardware +
      small_os + mapping(on_core("A", "C0") + on_gpu("B")));
  ASSERT_TRUE(model.converted);
  ASSERT_THAT(model.converted->system.tasks, SizeIs(2));
  const Task& triggered = model.converted->system.tasks[1];
  EXPECT_EQ(triggered.period, milliseconds{30});
  EXPECT_EQ(triggered.arrival, Arrival::sporadic);  // the model does not say which of three
  EXPECT_EQ(triggered.jitter, microseconds{1});
  EXPECT_TRUE(noticed(model, "triggered"));
}

TEST(Convert, TasksThatTriggerEachOtherAreAProblem) {
  const auto triggering = [](const std::string& name) {
    return R"(<items xsi:type="am:InterProcessTrigger" stimulus=")" + name +
           R"(?type=InterProcessStimulus"/>)";
  };
  const Imported model = imported(
      software(task("A", "a?type=InterProcessStimulus", call("r") + triggering("b")) +
               task("B", "b?type=InterProcessStimulus", call("r") + triggering("a")) +
               runnable("r", 1000, 0)) +
      stimuli(
          R"(<stimuli xsi:type="am:InterProcessStimulus" name="a"/><stimuli xsi:type="am:InterProcessStimulus" name="b"/>)") +
      small_hardware + small_os + mapping(on_core("A", "C0") + on_core("B", "C0")));
  EXPECT_FALSE(model.converted);
  EXPECT_THAT(model.problems.at(0).message, HasSubstr("in a circle"));
}

/// A task "A" of 10 ms on core C0 with these runnables.
Imported one_task(const std::string& items, const std::string& runnables, const Options& options = {}) {
  return imported(software(task("A", "every_10ms?type=PeriodicStimulus", items) + runnables) +
                      stimuli(every(10)) + small_hardware + small_os + mapping(on_core("A", "C0")),
                  options);
}

TEST(Convert, AStepThatIsNotKnownChangesTheAnswer) {
  const Imported model = one_task(call("r") + R"(<items xsi:type="am:Teleport"/>)", runnable("r", 1000, 0));
  ASSERT_THAT(model.census.ignored, SizeIs(1));
  EXPECT_EQ(model.census.ignored[0].name, "Teleport");
  EXPECT_EQ(model.census.ignored[0].effect, Effect::response_time);
  EXPECT_THAT(to_commented_file(model), HasSubstr("1 x Teleport is left out"));
}

TEST(Convert, LabelsWithoutASizeOrAMemoryThatCanBeReachedAreWarnings) {
  const std::string accesses =
      R"(<items xsi:type="am:LabelAccess" data="L?type=Label" access="read"/><items xsi:type="am:LabelAccess" data="M?type=Label"/>)";
  std::string hardware = small_hardware;
  const std::string core =
      R"(name="C0" definition="Core?type=ProcessingUnitDefinition" frequencyDomain="F?type=FrequencyDomain")";
  hardware.replace(
      hardware.find(core + "/>"), core.size() + 2,
      core +
          R"(><accessElements destination="RAM?type=Memory"><readLatency xsi:type="am:DiscreteValueConstant" value="10"/><writeLatency xsi:type="am:DiscreteValueConstant" value="10"/></accessElements></modules>)");
  const std::string other =
      R"(<modules xsi:type="am:Memory" name="Flash" definition="DRAM?type=MemoryDefinition"/>)";
  hardware.insert(hardware.find(R"(<modules xsi:type="am:Memory")"), other);
  const Imported model =
      imported(software(task("A", "every_10ms?type=PeriodicStimulus", call("r")) +
                        "<runnables name=\"r\"><activityGraph>" + accesses +
                        "</activityGraph></runnables><labels name=\"L\"/><labels name=\"M\"><size "
                        "value=\"64\" unit=\"B\"/></labels>") +
               stimuli(every(10)) + hardware + small_os +
               mapping(on_core("A", "C0") +
                       R"(<memoryMapping abstractElement="M?type=Label" memory="Flash?type=Memory"/>)"));
  EXPECT_TRUE(noticed(model, "no-size"));
  EXPECT_TRUE(noticed(model, "no-access"));
  EXPECT_TRUE(noticed(model, "access-kind"));
  ASSERT_TRUE(model.converted);
  // "M" is read and written: 10 cycles each.
  const auto& cpu = std::get<CpuSegment>(model.converted->system.tasks.at(0).work.nodes.at(0).segment);
  EXPECT_EQ(cpu.time.worst, std::chrono::nanoseconds{20});
}

TEST(Convert, UnitsWithoutInstructionsAndHistogramsWithHolesAreProblems) {
  std::string hardware = small_hardware;
  const std::string core = R"(name="Core" puType="CPU")";
  hardware.insert(hardware.find(core) + core.size(), R"( features="Instructions/none?type=HwFeature")");
  hardware.insert(
      hardware.find("<structures"),
      R"(<featureCategories name="Instructions"><features name="none" value="0.0"/></featureCategories>)");
  const Imported model =
      imported(software(task("A", "every_10ms?type=PeriodicStimulus", call("r")) + runnable("r", 1000, 0)) +
               stimuli(every(10)) + hardware + small_os + mapping(on_core("A", "C0")));
  ASSERT_FALSE(model.converted);
  EXPECT_THAT(model.problems.at(0).message, HasSubstr("no instructions in a cycle"));
  const Imported holes = one_task(
      call("r"),
      R"(<runnables name="r"><activityGraph><items xsi:type="am:Ticks"><default xsi:type="am:DiscreteValueHistogram"><entries occurrences="1" lowerBound="1" upperBound="2"/><entries occurrences="1" lowerBound="many" upperBound="9"/></default></items></activityGraph></runnables>)");
  EXPECT_FALSE(holes.converted);
}

TEST(Convert, TicksForOtherUnitsAreNoTicks) {
  const Imported model = one_task(call("r"), runnable("r", 0, 1000));
  EXPECT_FALSE(model.converted);
  ASSERT_FALSE(model.problems.empty());
  EXPECT_EQ(model.problems[0].id, ProblemId::incomplete_model);
  EXPECT_THAT(model.problems[0].message, HasSubstr("no ticks for `Core`"));
  EXPECT_GT(model.problems[0].line, 1);
}

TEST(Convert, CallsInACircleEnd) {
  const Imported model =
      one_task(call("r"), R"(<runnables name="r"><activityGraph>)" + call("s") +
                              R"(</activityGraph></runnables><runnables name="s"><activityGraph>)" +
                              call("r") + "</activityGraph></runnables>");
  EXPECT_FALSE(model.converted);
  EXPECT_THAT(model.problems.at(0).message, HasSubstr("calls itself"));
}

TEST(Convert, TicksWithoutAnUpperBoundAskAQuestion) {
  const std::string normal =
      R"(<runnables name="r"><activityGraph><items xsi:type="am:Ticks"><default xsi:type="am:DiscreteValueGaussDistribution" mean="1000000" sd="100000"/></items></activityGraph></runnables>)";
  const Imported model = one_task(call("r"), normal);
  EXPECT_FALSE(model.converted);
  EXPECT_THAT(model.problems.at(0).hint, HasSubstr("--deviations"));
  Options options;
  options.deviations = Rational{3};
  const Imported bounded = one_task(call("r"), normal, options);
  ASSERT_TRUE(bounded.converted);
  EXPECT_EQ(bounded.converted->system.tasks[0].work.nodes[0].segment,
            (Segment{CpuSegment{Interval{Duration{}, microseconds{1300}}}}));
}

TEST(Convert, ChoicesAndLoopsTakeTheLongestWay) {
  const std::string choice = R"(<items xsi:type="am:ProbabilitySwitch"><entries probability="0.5">)" +
                             call("r") + R"(</entries><entries probability="0.5">)" + call("s") +
                             "</entries></items>";
  const Imported model = one_task(choice, runnable("r", 1000, 0) + runnable("s", 5000, 0));
  ASSERT_TRUE(model.converted);
  EXPECT_EQ(model.converted->system.tasks[0].work.nodes[0].segment,
            (Segment{CpuSegment{Interval{nanoseconds(1000), nanoseconds(5000)}}}));
  const std::string loop = R"(<items xsi:type="am:WhileLoop">)" + call("r") + "</items>";
  EXPECT_FALSE(one_task(loop, runnable("r", 1000, 0)).converted);
  Options options;
  options.loops = 4;
  EXPECT_EQ(one_task(loop, runnable("r", 1000, 0), options).converted->system.tasks[0].work.nodes[0].segment,
            (Segment{CpuSegment{Interval{nanoseconds(0), nanoseconds(4000)}}}));
}

/// A call of "r" with this statistic.
std::string call_often(const std::string& statistic) {
  return R"(<items xsi:type="am:RunnableCall" runnable="r?type=Runnable"><statistic><statistic xsi:type="am:)" +
         statistic + "/></statistic></items>";
}

TEST(Convert, CallsCountAsOftenAsTheirStatisticSays) {
  const auto time_of = [](const std::string& statistic) {
    const Imported model = one_task(call_often(statistic), runnable("r", 1000, 0));
    return model.converted->system.tasks[0].work.nodes[0].segment;
  };
  const auto between = [](std::int64_t best, std::int64_t worst) {
    return Segment{CpuSegment{Interval{nanoseconds(best), nanoseconds(worst)}}};
  };
  EXPECT_EQ(time_of(R"(SingleValueStatistic" value="20.0")"), between(20'000, 20'000));
  EXPECT_EQ(time_of(R"(MinAvgMaxStatistic" min="2" avg="5.0" max="20")"), between(2'000, 20'000));
  EXPECT_EQ(time_of(R"(MinAvgMaxStatistic" avg="0.5" max="0")"), between(0, 1'000));
  const Imported mean = one_task(call_often(R"(SingleValueStatistic" value="2.5")"), runnable("r", 1000, 0));
  EXPECT_EQ(mean.converted->system.tasks[0].work.nodes[0].segment, between(0, 3'000));
  EXPECT_TRUE(noticed(mean, "statistic"));
  const Imported strange =
      one_task(call_often(R"(MinAvgMaxStatistic" min="1" max="many")"), runnable("r", 1000, 0));
  ASSERT_FALSE(strange.converted);
  EXPECT_THAT(strange.problems.at(0).message, HasSubstr("max is `many`"));
}

TEST(Convert, CallsOfWhatOffloadsAreRepeatedToo) {
  std::string model_text = offload("passive");
  const std::string kernel = call("kernel");
  const std::string twice =
      R"(<items xsi:type="am:RunnableCall" runnable="kernel?type=Runnable"><statistic><statistic xsi:type="am:MinAvgMaxStatistic" min="1" max="2"/></statistic></items>)";
  model_text.replace(model_text.find(kernel), kernel.size(), twice);
  const std::string copy = call("in");
  const std::string copies =
      R"(<items xsi:type="am:RunnableCall" runnable="in?type=Runnable"><statistic><statistic xsi:type="am:MinAvgMaxStatistic" min="0" max="3"/></statistic></items>)";
  model_text.replace(model_text.find(copy), copy.size(), copies);
  const Imported model = imported(model_text);
  ASSERT_TRUE(model.converted);
  const auto& nodes = model.converted->system.tasks[0].work.nodes;
  ASSERT_THAT(nodes, SizeIs(5));
  EXPECT_EQ(nodes[1].segment, (Segment{CopySegment{Interval{nanoseconds(0), microseconds{30}}, {}}}));
  EXPECT_EQ(nodes[2].segment, Segment{ExclusiveSegment{Interval(milliseconds{3}, milliseconds{6})}});
}

TEST(Convert, AccessesCountAsOftenAsTheirStatisticSays) {
  const auto copy_of = [](const std::string& statistic) {
    std::string text = offload("passive");
    const std::string access = R"(data="H?type=Label" access="read"/>)";
    text.replace(text.find(access), access.size(),
                 R"(data="H?type=Label" access="read"><statistic><value xsi:type="am:)" + statistic +
                     "/></statistic></items>");
    return imported(text).converted->system.tasks[0].work.nodes[1].segment;
  };
  // 1000 lines are written once, at 5 cycles each, and read so often.
  EXPECT_EQ(copy_of(R"(SingleValueStatistic" value="1.0")"),
            (Segment{CopySegment{Interval::exactly(microseconds{10}), {}}}));
  EXPECT_EQ(copy_of(R"(MinAvgMaxStatistic" min="1" avg="5.0" max="1000")"),
            (Segment{CopySegment{Interval{microseconds{5}, microseconds{5005}}, {}}}));
}

TEST(Convert, ExecutionNeedsAndInstructionsAreTicksToo) {
  for (
      const char* items :
      {R"(<activityGraph><items xsi:type="am:ExecutionNeed"><needs key="Instructions"><value xsi:type="am:DiscreteValueConstant" value="2000"/></needs></items></activityGraph>)",
       R"(<runnableItems xsi:type="am:ExecutionNeed"><default key="Instructions"><value xsi:type="am:NeedConstant" value="2000"/></default></runnableItems>)",
       R"(<runnableItems xsi:type="am:ExecutionNeed"><extended key="Core?type=ProcessingUnitDefinition"><value key="Instructions"><value xsi:type="am:NeedDeviation"><deviation><lowerBound xsi:type="am:LongObject" value="2000"/><upperBound xsi:type="am:LongObject" value="2000"/><distribution xsi:type="am:UniformDistribution"/></deviation></value></value></extended></runnableItems>)",
       R"(<runnableItems xsi:type="am:RunnableInstructions"><default xsi:type="am:InstructionsConstant" value="2000"/></runnableItems>)",
       R"(<callGraph><items xsi:type="am:Ticks"><default xsi:type="am:DiscreteValueConstant" value="2000"/></items></callGraph>)"}) {
    const Imported model =
        one_task(call("r"), R"(<runnables name="r">)" + std::string{items} + "</runnables>");
    ASSERT_TRUE(model.converted) << items;
    EXPECT_EQ(model.converted->system.tasks[0].work.nodes[0].segment,
              Segment{CpuSegment{Interval::exactly(nanoseconds(2000))}})
        << items;
  }
}

TEST(Convert, OnlyTheNeedOfInstructionsTakesTime) {
  const auto need = [](const std::string& inside) {
    return one_task(call("r"), R"(<runnables name="r"><runnableItems xsi:type="am:ExecutionNeed">)" + inside +
                                   "</runnableItems></runnables>");
  };
  const auto extended = [](const std::string& values) {
    return R"(<extended key="Core?type=ProcessingUnitDefinition">)" + values + "</extended>";
  };
  const std::string other = R"(<value key="Ins"><value xsi:type="am:NeedConstant" value="9"/></value>)";
  const std::string right =
      R"(<value key="Instructions"><value xsi:type="am:NeedConstant" value="2000"/></value>)";
  const Imported both = need(extended(other + right));
  ASSERT_TRUE(both.converted);
  EXPECT_EQ(both.converted->system.tasks[0].work.nodes[0].segment,
            Segment{CpuSegment{Interval::exactly(nanoseconds(2000))}});
  EXPECT_THAT(both.findings,
              testing::Contains(testing::AllOf(testing::Field(&Finding::is_open, true),
                                               testing::Field(&Finding::message, HasSubstr("needs `Ins`")))));
  EXPECT_FALSE(noticed(need(extended(right)), "needs"));
  for (const std::string& wrong :
       {extended(other),
        std::string{R"(<default key="Ins"><value xsi:type="am:NeedConstant" value="9"/></default>)"}}) {
    const Imported model = need(wrong);
    EXPECT_FALSE(model.converted);
    ASSERT_TRUE(noticed(model, "no-ticks")) << wrong;
    for (const Finding& one : model.findings) {
      if (one.kind != "no-ticks") continue;
      EXPECT_THAT(one.message, testing::AllOf(HasSubstr("`Ins`"), HasSubstr("`Instructions`")));
    }
  }
}

Imported three_tasks(const std::string& allocations, const std::string& requirements = "",
                     const Options& options = {}) {
  return imported(
      software(task("A", "every_10ms?type=PeriodicStimulus", call("r")) +
               task("B", "every_20ms?type=PeriodicStimulus", call("r")) +
               task("C", "every_5ms?type=PeriodicStimulus", call("r")) + runnable("r", 1'000'000, 0)) +
          stimuli(every(5) + every(10) + every(20)) + small_hardware + small_os + requirements +
          mapping(allocations),
      options);
}

TEST(Convert, EqualPrioritiesBecomeThoseByRate) {
  const Imported model =
      three_tasks(on_core("A", "C0", "1") + on_core("B", "C0", "1") + on_core("C", "C0", "1"));
  ASSERT_TRUE(model.converted);
  const auto& tasks = model.converted->system.tasks;
  EXPECT_GT(tasks[2].priority, tasks[0].priority);
  EXPECT_GT(tasks[0].priority, tasks[1].priority);
  EXPECT_THAT(model.findings, testing::Contains(testing::Field(
                                  &Finding::message, HasSubstr("all tasks of `S` have priority 1: "))));
  EXPECT_TRUE(noticed(model, "equal-priorities"));
}

TEST(Convert, PrioritiesOfTheModelCount) {
  const Imported model =
      three_tasks(on_core("A", "C0", "1") + on_core("B", "C0", "5") + on_core("C", "C0", "3"));
  ASSERT_TRUE(model.converted);
  EXPECT_EQ(model.converted->system.tasks[1].priority, 5);
  EXPECT_FALSE(noticed(model, "priorities"));
}

TEST(Convert, SchedulingParametersOfVersionTwoAreRead) {
  const std::string allocation =
      R"(<taskAllocation task="A?type=Task" scheduler="S?type=TaskScheduler" affinity="C0?type=ProcessingUnit"><schedulingParameters key="priority?type=SchedulingParameterDefinition"><value xsi:type="am:IntegerObject" value="7"/></schedulingParameters></taskAllocation>)";
  const Imported model = three_tasks(allocation + on_core("B", "C0", "5") + on_core("C", "C0", "3"));
  ASSERT_TRUE(model.converted);
  EXPECT_EQ(model.converted->system.tasks[0].priority, 7);
}

TEST(Convert, SeveralCoresGiveTheOneThatHasLeastToDo) {
  const Imported model =
      three_tasks(on_core("A", "C0") + on_core("B", "C0?type=ProcessingUnit C1") + on_core("C", "C0"));
  ASSERT_TRUE(model.converted);
  EXPECT_EQ(model.converted->system.tasks[1].core, 1);
  EXPECT_TRUE(noticed(model, "several-cores"));
}

TEST(Convert, AffinityOutsideTheSchedulerIsWarnedAbout) {
  const std::string two =
      R"(<mappingModel><schedulerAllocation scheduler="S?type=TaskScheduler" responsibility="C1?type=ProcessingUnit"/>)";
  const auto converted = [&](Conflict conflict) {
    Options options;
    options.conflict = conflict;
    return imported(
        software(task("A", "every_10ms?type=PeriodicStimulus", call("r")) + runnable("r", 1000, 0)) +
            stimuli(every(10)) + small_hardware + small_os + two + on_core("A", "C0") + "</mappingModel>",
        options);
  };
  EXPECT_TRUE(noticed(converted(Conflict::both), "affinity-conflict"));
  EXPECT_EQ(converted(Conflict::both).converted->system.tasks[0].core, 0);
  EXPECT_EQ(converted(Conflict::affinity).converted->system.tasks[0].core, 0);
  EXPECT_EQ(converted(Conflict::scheduler).converted->system.tasks[0].core, 1);
}

TEST(Convert, RequirementsAreDeadlinesAndSwappedOnesAreSuspicious) {
  const auto requirement = [](const std::string& name, const std::string& process, int limit) {
    return R"(<requirements xsi:type="am:ProcessRequirement" name=")" + name + R"(" process=")" + process +
           R"(?type=Task"><limit xsi:type="am:TimeRequirementLimit" limitType="UpperLimit" metric="ResponseTime"><limitValue value=")" +
           std::to_string(limit) + R"(" unit="ms"/></limit></requirements>)";
  };
  const Imported model = three_tasks(on_core("A", "C0") + on_core("B", "C0") + on_core("C", "C0"),
                                     "<constraintsModel>" + requirement("Deadline_A", "B", 9) +
                                         requirement("Deadline_B", "A", 15) + "</constraintsModel>");
  ASSERT_TRUE(model.converted);
  EXPECT_EQ(model.converted->system.tasks[1].deadline, milliseconds{9});
  EXPECT_TRUE(noticed(model, "requirement-target"));
  EXPECT_TRUE(noticed(model, "deadline"));
}

TEST(Convert, EventChainsBecomeChainsOfTasks) {
  const auto event = [](const std::string& name, const std::string& entity) {
    return R"(<events xsi:type="am:ProcessEvent" name=")" + name + R"(" entity=")" + entity +
           R"(?type=Task" eventType="terminate"/>)";
  };
  const std::string model_of_events =
      "<eventModel>" + event("a", "A") + event("b", "B") + event("c", "C") + "</eventModel>";
  const std::string chains =
      R"(<constraintsModel><eventChains name="from A to C" stimulus="a?type=ProcessEvent" response="c?type=ProcessEvent">
    <items xsi:type="am:EventChainContainer"><eventChain stimulus="a?type=ProcessEvent" response="b?type=ProcessEvent"/></items>
    <items xsi:type="am:EventChainContainer"><eventChain stimulus="b?type=ProcessEvent" response="c?type=ProcessEvent"/></items></eventChains>
    <timingConstraints xsi:type="am:EventChainLatencyConstraint" name="limit" scope="from+A+to+C?type=EventChain" type="Age"><maximum value="90" unit="ms"/></timingConstraints></constraintsModel>)";
  const Imported model =
      three_tasks(on_core("A", "C0") + on_core("B", "C0") + on_core("C", "C0"), model_of_events + chains);
  ASSERT_TRUE(model.converted);
  ASSERT_THAT(model.converted->system.chains, SizeIs(1));
  const EffectChain& chain = model.converted->system.chains[0];
  EXPECT_EQ(chain.name, "from A to C");
  EXPECT_EQ(chain.tasks, (std::vector<TaskIndex>{0, 1, 2}));
  EXPECT_EQ(chain.age, milliseconds{90});
  EXPECT_FALSE(chain.reaction);
}

TEST(Convert, DeadlinesThatNoScheduleKeepsAreWarnedAbout) {
  const std::string text =
      software(task("A", "every_10ms?type=PeriodicStimulus", call("r")) + runnable("r", 10'000'001, 0)) +
      stimuli(every(10)) + small_hardware + small_os + mapping(on_core("A", "C0"));
  EXPECT_TRUE(noticed(imported(text), "deadline-below-time"));
  EXPECT_FALSE(noticed(imported(offload("passive")), "deadline-below-time"));
}

TEST(Convert, OverloadIsSaid) {
  const Imported model = imported(
      software(task("A", "every_10ms?type=PeriodicStimulus", call("r")) + runnable("r", 15'400'000, 0)) +
      stimuli(every(10)) + small_hardware + small_os + mapping(on_core("A", "C0")));
  ASSERT_TRUE(model.converted);
  EXPECT_TRUE(noticed(model, "overload"));
  EXPECT_EQ(model.converted->loads[0].worst, (Rational{154, 100}));
}

TEST(Convert, TasksWithoutStimulusAreLeftOutUnlessTheirPeriodIsGiven) {
  const std::string text = software(task("A", "every_10ms?type=PeriodicStimulus", call("r")) +
                                    R"(<tasks name="B"><activityGraph>)" + call("r") +
                                    "</activityGraph></tasks>" + runnable("r", 1000, 0)) +
                           stimuli(every(10)) + small_hardware + small_os +
                           mapping(on_core("A", "C0") + on_core("B", "C0"));
  const Imported model = imported(text);
  ASSERT_TRUE(model.converted);
  EXPECT_THAT(model.converted->system.tasks, SizeIs(1));
  EXPECT_TRUE(noticed(model, "no-stimulus"));
  Options options;
  options.periods["B"] = milliseconds{7};
  EXPECT_THAT(imported(text, options).converted->system.tasks, SizeIs(2));
}

TEST(Convert, ModelsWithoutHardwareTakeOneCoreOfAGivenFrequency) {
  const std::string text =
      software(
          task("A", "every_10ms?type=PeriodicStimulus", call("r")) +
          R"(<runnables name="r"><activityGraph><items xsi:type="am:Ticks"><default xsi:type="am:DiscreteValueConstant" value="200000"/></items></activityGraph></runnables>)") +
      stimuli(every(10));
  EXPECT_FALSE(imported(text).converted);
  Options options;
  options.hertz = Rational{200'000'000};
  const Imported model = imported(text, options);
  ASSERT_TRUE(model.converted);
  EXPECT_EQ(model.converted->system.tasks[0].work.nodes[0].segment,
            Segment{CpuSegment{Interval::exactly(milliseconds{1})}});
}

TEST(Convert, TimesMayBeOneCaseAlone) {
  const Span span{Rational{10, 3}, Rational{5}, Rational{20, 3}};
  EXPECT_EQ(interval_of(span, Times::bounds), (Interval{nanoseconds(3), nanoseconds(7)}));
  EXPECT_EQ(interval_of(span, Times::worst), Interval::exactly(nanoseconds(7)));
  EXPECT_EQ(interval_of(span, Times::average), Interval::exactly(nanoseconds(5)));
  EXPECT_EQ(interval_of(span, Times::best), Interval::exactly(nanoseconds(3)));
}

}  // namespace
}  // namespace tactus::import
