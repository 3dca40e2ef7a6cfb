// Which tasks run where, and which of them precede others.
#include "tactus/import/mapping.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "import/models.hpp"

namespace tactus::import {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

auto finding(Severity severity, const std::string& kind, const std::string& words) {
  return AllOf(Field(&Finding::severity, severity), Field(&Finding::kind, kind),
               Field(&Finding::message, HasSubstr(words)));
}

auto warning(const std::string& kind, const std::string& words = "") {
  return finding(Severity::warning, kind, words);
}

auto assumption(const std::string& kind, const std::string& words = "") {
  return finding(Severity::assumption, kind, words);
}

auto open_warning(const std::string& kind, const std::string& words = "") {
  return AllOf(warning(kind, words), Field(&Finding::is_open, true));
}

/// Tasks A (10 ms), B (20 ms), C (30 ms) and D (40 ms) of 1 ms.
const std::string four_tasks = task("A", "every_10ms?type=PeriodicStimulus", call("r")) +
                               task("B", "every_20ms?type=PeriodicStimulus", call("r")) +
                               task("C", "every_30ms?type=PeriodicStimulus", call("r")) +
                               task("D", "every_40ms?type=PeriodicStimulus", call("r")) +
                               runnable("r", 1'000'000, 0);

const std::string four_stimuli = every(10) + every(20) + every(30) + every(40);

std::string scheduler(const std::string& name, const std::string& algorithm, const std::string& inside = "") {
  return R"(<taskSchedulers name=")" + name + R"("><schedulingAlgorithm xsi:type="am:)" + algorithm +
         R"("/>)" + inside + "</taskSchedulers>";
}

std::string below(const std::string& parent, const std::string& inside = "") {
  return R"(<parentAssociation parent=")" + parent + R"(?type=TaskScheduler">)" + inside +
         "</parentAssociation>";
}

std::string responsible(const std::string& scheduler, const std::string& units) {
  return R"(<schedulerAllocation scheduler=")" + scheduler + R"(?type=TaskScheduler" responsibility=")" +
         units + R"("/>)";
}

std::string core(const std::string& name) { return name + "?type=ProcessingUnit"; }

std::string allocated(const std::string& task, const std::string& scheduler,
                      const std::string& priority = "") {
  const std::string parameters =
      priority.empty() ? "" : R"(<schedulingParameters priority=")" + priority + R"("/>)";
  return R"(<taskAllocation task=")" + task + R"(?type=Task" scheduler=")" + scheduler +
         R"(?type=TaskScheduler">)" + parameters + "</taskAllocation>";
}

std::string with_affinity(const std::string& task, const std::string& cores) {
  return R"(<taskAllocation task=")" + task + R"(?type=Task" scheduler="S?type=TaskScheduler" affinity=")" +
         cores + R"("><schedulingParameters priority="1"/></taskAllocation>)";
}

struct Parts {
  std::string software = four_tasks;
  std::string stimuli = four_stimuli;
  std::string hardware = small_hardware;
  std::string schedulers{};  // and interrupt controllers
  std::string mapping{};
  std::string constraints{};
};

Imported import_parts(const Parts& parts, const Options& options = {}) {
  return imported("<swModel>" + parts.software + "</swModel>" + parts.hardware +
                      R"(<osModel><operatingSystems name="OS">)" + parts.schedulers +
                      "</operatingSystems></osModel><stimuliModel>" + parts.stimuli +
                      "</stimuliModel><constraintsModel>" + parts.constraints +
                      "</constraintsModel><mappingModel>" + parts.mapping + "</mappingModel>",
                  options);
}

const std::string fixed = "FixedPriorityPreemptive";

/// The task of this name; fails the test where there is none.
const Task& task_of(const Imported& model, const std::string& name) {
  static const Task none;
  if (!model.converted) {
    ADD_FAILURE() << (model.problems.empty() ? "" : model.problems.front().message);
    return none;
  }
  for (const Task& one : model.converted->system.tasks) {
    if (one.name == name) return one;
  }
  ADD_FAILURE() << "no task " << name;
  return none;
}

/// Whether the first of these tasks is the most urgent one, and so on.
bool is_order(const Imported& model, const std::vector<std::string>& names) {
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (*task_of(model, names[i - 1]).priority <= *task_of(model, names[i]).priority) return false;
  }
  return true;
}

// Schedulers below others.

Imported with_child(const std::string& schedulers, const std::string& child_of_b) {
  return import_parts(
      {.schedulers = schedulers,
       .mapping = responsible("S", core("C1")) + allocated("A", "S", "1") + allocated("B", child_of_b, "2")});
}

TEST(Mapping, AChildRunsWhereItsParentIsResponsible) {
  const Imported model = with_child(scheduler("S", fixed) + scheduler("Child", fixed, below("S")), "Child");
  EXPECT_EQ(task_of(model, "B").core, 1);
  EXPECT_TRUE(is_order(model, {"B", "A"}));
  EXPECT_THAT(model.findings, Contains(assumption("child-scheduler", "`S` above it is responsible (C1)")));
  EXPECT_THAT(model.findings, Contains(assumption("child-scheduler", "compete with those of `S`")));
  EXPECT_THAT(model.findings, Not(Contains(warning("scheduler"))));
}

TEST(Mapping, ResponsibilityPassesThroughSeveralLevels) {
  const Imported model = with_child(scheduler("Low", fixed, below("Middle")) +
                                        scheduler("Middle", fixed, below("S")) + scheduler("S", fixed),
                                    "Low");
  EXPECT_EQ(task_of(model, "B").core, 1);
}

TEST(Mapping, SchedulersInACircleAreCut) {
  const Imported model = with_child(
      scheduler("S", fixed) + scheduler("X", fixed, below("Y")) + scheduler("Y", fixed, below("X")), "X");
  EXPECT_THAT(model.findings, Contains(warning("scheduler-circle")));
  EXPECT_THAT(model.findings, Contains(warning("no-responsibility")));
  EXPECT_TRUE(model.converted);
}

TEST(Mapping, AChildWithAnotherAlgorithmIsWarnedAbout) {
  const Imported model =
      with_child(scheduler("S", fixed) + scheduler("Child", "EarliestDeadlineFirst", below("S")), "Child");
  EXPECT_EQ(task_of(model, "B").core, 1);
  EXPECT_EQ(model.converted->system.policy.cpu->order, Order::fp);
  EXPECT_THAT(model.findings, Contains(warning("scheduler", "`Child` (`EarliestDeadlineFirst`)")));
}

TEST(Mapping, ThePriorityThatAParentGivesItsChildCounts) {
  const std::string priority = R"(<schedulingParameters priority="9"/>)";
  const Imported model = import_parts(
      {.schedulers = scheduler("S", fixed) + scheduler("Child", fixed, below("S", priority)),
       .mapping = responsible("S", core("C1")) + allocated("A", "S", "5") + allocated("B", "S", "10") +
                  allocated("C", "Child", "1") + allocated("D", "Child", "2")});
  EXPECT_TRUE(is_order(model, {"B", "D", "C", "A"}));
  EXPECT_THAT(model.findings, Contains(assumption("child-scheduler", "its priority (9)")));
}

TEST(Mapping, ABudgetThatAParentGivesItsChildIsWarnedAbout) {
  const std::string budget =
      R"(<schedulingParameters priority="9"><maxBudget value="1" unit="ms"/></schedulingParameters>)";
  const Imported model =
      with_child(scheduler("S", fixed) + scheduler("Child", fixed, below("S", budget)), "Child");
  EXPECT_THAT(model.findings, Contains(warning("child-scheduler", "budget")));
}

// Priorities.

Imported with_priorities(const std::string& algorithm, const std::vector<std::string>& priorities,
                         const std::string& constraints = "") {
  Parts parts{.schedulers = scheduler("S", algorithm),
              .mapping = responsible("S", core("C0")),
              .constraints = constraints};
  const std::vector<std::string> names{"A", "B", "C", "D"};
  for (std::size_t i = 0; i < priorities.size(); ++i)
    parts.mapping += allocated(names[i], "S", priorities[i]);
  return import_parts(parts);
}

TEST(Mapping, TasksWithoutAPriorityAreTheLeastUrgentAndTheOthersKeepTheirs) {
  const Imported model = with_priorities(fixed, {"", "", "7", "30"});
  EXPECT_EQ(task_of(model, "D").priority, 30);
  EXPECT_EQ(task_of(model, "C").priority, 7);
  EXPECT_TRUE(is_order(model, {"D", "C", "A", "B"}));
  EXPECT_THAT(model.findings, Contains(warning("missing-priority", "but not `A`, `B`")));
}

TEST(Mapping, ThereIsRoomBelowTheLeastPriority) {
  const Imported model = with_priorities(fixed, {"", "0", "1"});
  EXPECT_TRUE(is_order(model, {"C", "B", "A"}));
  EXPECT_EQ(task_of(model, "A").priority, 0);
}

TEST(Mapping, NegativePrioritiesKeepTheirOrder) {
  const Imported model = with_priorities(fixed, {"-5", "0", "-1"});
  EXPECT_TRUE(is_order(model, {"B", "C", "A"}));
  EXPECT_EQ(task_of(model, "A").priority, 0);
  EXPECT_FALSE(noticed(model, "priorities"));
}

TEST(Mapping, PrioritiesTooFarApartKeepTheirOrder) {
  const Imported model = with_priorities(fixed, {"-90000000000000000", "90000000000000000", ""});
  EXPECT_TRUE(is_order(model, {"B", "A", "C"}));
}

TEST(Mapping, EqualPrioritiesAreByRate) {
  EXPECT_TRUE(is_order(with_priorities(fixed, {"3", "3", "3"}), {"A", "B", "C"}));
  EXPECT_TRUE(is_order(with_priorities(fixed, {"", "", ""}), {"A", "B", "C"}));
}

Imported two_schedulers(const std::string& cores_of_second, const std::vector<std::string>& priorities) {
  return import_parts({.schedulers = scheduler("S", fixed) + scheduler("T", fixed),
                       .mapping = responsible("S", core("C0")) + responsible("T", core(cores_of_second)) +
                                  allocated("A", "T", priorities[0]) + allocated("B", "T", priorities[1]) +
                                  allocated("C", "S", priorities[2]) + allocated("D", "S", priorities[3])});
}

TEST(Mapping, AnOrderThatTheModelDoesNotGiveIsWarnedAbout) {
  const std::string taken = "the shorter period is taken as the more urgent one (rate monotonic), which the";
  EXPECT_THAT(with_priorities(fixed, {"3", "3", "3"}).findings, Contains(warning("equal-priorities", taken)));
  EXPECT_THAT(with_priorities(fixed, {"", ""}).findings, Contains(warning("missing-priority", taken)));
  EXPECT_THAT(with_priorities(fixed, {"5", "5", "6"}).findings,
              Contains(warning("equal-priorities", "`A` and `B` have the same priority")));
  EXPECT_THAT(with_priorities("DeadlineMonotonic", {"", "", "", ""}).findings,
              Not(Contains(warning("equal-priorities"))));
  for (const char* algorithm : {"RateMonotonic", "DeadlineMonotonic"}) {
    Parts parts{.software = four_tasks + task("E", "every_10ms?type=PeriodicStimulus", call("r")),
                .schedulers = scheduler("S", algorithm),
                .mapping = responsible("S", core("C0")) + allocated("A", "S") + allocated("E", "S")};
    EXPECT_THAT(import_parts(parts).findings, Contains(warning("equal-priorities", "`A` and `E`")))
        << algorithm;
  }
  // The order of tasks of different cores does not matter.
  const Imported apart = import_parts({.schedulers = scheduler("S", fixed),
                                       .mapping = responsible("S", core("C0") + " " + core("C1")) +
                                                  with_affinity("A", core("C0")) +
                                                  with_affinity("B", core("C1")) + allocated("C", "S", "2")});
  EXPECT_THAT(apart.findings, Not(Contains(warning("equal-priorities"))));
  EXPECT_THAT(two_schedulers("C0", {"1", "2", "2", "3"}).findings,
              Contains(warning("equal-priorities", "`B` and `C`")));
}

TEST(Mapping, MonotonicAlgorithmsLookAtNoNumbers) {
  const std::string limit =
      R"(<requirements xsi:type="am:ProcessRequirement" name="limit" process="C?type=Task"><limit xsi:type="am:TimeRequirementLimit" limitType="UpperLimit" metric="ResponseTime"><limitValue value="5" unit="ms"/></limit></requirements>)";
  const Imported by_deadline = with_priorities("DeadlineMonotonic", {"", "", ""}, limit);
  EXPECT_TRUE(is_order(by_deadline, {"C", "A", "B"}));
  EXPECT_THAT(by_deadline.findings, Contains(assumption("priorities", "the shorter deadline")));
  EXPECT_TRUE(is_order(with_priorities("RateMonotonic", {"1", "2", "3"}, limit), {"A", "B", "C"}));
  EXPECT_FALSE(noticed(by_deadline, "scheduler"));
}

TEST(Mapping, SchedulersOfOneCoreWithDifferentRulesAreRankedTogether) {
  // By rate alone A and B had 4 and 3, and so preceded C.
  const Imported model = two_schedulers("C0", {"", "", "1", "9"});
  EXPECT_TRUE(is_order(model, {"D", "C", "A", "B"}));
  EXPECT_THAT(model.findings, Contains(warning("mixed-priorities", "`T` by rate")));
}

TEST(Mapping, SchedulersOfDifferentCoresHaveTheirOwnRules) {
  const Imported model = two_schedulers("C1", {"", "", "1", "9"});
  EXPECT_FALSE(noticed(model, "mixed-priorities"));
  EXPECT_EQ(task_of(model, "C").priority, 1);
  EXPECT_EQ(task_of(model, "D").priority, 9);
}

TEST(Mapping, OneNumberForEachSchedulerOfACoreRanksThem) {
  const Imported model = two_schedulers("C0", {"1", "1", "5", "5"});
  EXPECT_TRUE(is_order(model, {"C", "A"}));
  EXPECT_TRUE(is_order(model, {"D", "B"}));
  EXPECT_THAT(model.findings, Contains(warning("shared-cores")));
}

// Algorithms.

TEST(Mapping, OnlyAlgorithmsThatAreFollowedAreSilent) {
  for (const char* known : {"FixedPriorityPreemptive", "OSEK", "RateMonotonic", "EarliestDeadlineFirst"})
    EXPECT_FALSE(noticed(with_priorities(known, {"1", "2"}), "scheduler")) << known;
  for (const char* unknown :
       {"FixedPriorityPreemptiveWithBudgetEnforcement", "PollingPeriodicServer", "DeferrableServer",
        "SporadicServer", "ConstantBandwidthServer", "PfairPD2", "PartlyEarlyReleaseFairPD2",
        "LeastLocalRemainingExecutionTimeFirst", "PriorityBasedRoundRobin", "Grouping",
        "FixedPriorityNonPreemptive", "SomethingElse"}) {
    EXPECT_THAT(with_priorities(unknown, {"1", "2"}).findings,
                Contains(warning("scheduler", "may be done earlier here than in the model")))
        << unknown;
  }
  EXPECT_THAT(with_priorities("FixedPriorityPreemptiveWithBudgetEnforcement", {"1", "2"}).findings,
              Contains(warning("scheduler", "used up its budget")));
}

// Where tasks run.

TEST(Mapping, AllAllocationsOfATaskCount) {
  const Imported model = import_parts(
      {.schedulers = scheduler("S", fixed) + scheduler("T", fixed),
       .mapping = responsible("S", core("C0")) + responsible("T", core("C1")) + allocated("A", "S", "3") +
                  allocated("B", "S", "8") + allocated("B", "T", "4") + allocated("C", "T", "7")});
  // A needs more of C0 than C of C1.
  EXPECT_EQ(task_of(model, "B").core, 1);
  EXPECT_EQ(task_of(model, "B").priority, 4);
  EXPECT_THAT(model.findings, Contains(warning("several-allocations", "`B` is allocated 2 times")));
}

TEST(Mapping, TheSameAllocationTwiceIsNoContradiction) {
  const Imported model = import_parts(
      {.schedulers = scheduler("S", fixed),
       .mapping = responsible("S", core("C0")) + allocated("A", "S", "3") + allocated("A", "S", "3")});
  EXPECT_FALSE(noticed(model, "several-allocations"));
}

TEST(Mapping, CoresForWhichATaskHasNoTicksAreNotChosen) {
  const std::string other =
      R"(<definitions xsi:type="am:ProcessingUnitDefinition" name="Other" puType="CPU"/>)";
  const std::string module =
      R"(<modules xsi:type="am:ProcessingUnit" name="C2" definition="Other?type=ProcessingUnitDefinition" frequencyDomain="F?type=FrequencyDomain"/>)";
  std::string hardware = small_hardware;
  hardware.insert(hardware.find("<definitions"), other);
  hardware.insert(hardware.find("<modules"), module);
  const Imported model =
      import_parts({.hardware = hardware,
                    .schedulers = scheduler("S", fixed),
                    .mapping = responsible("S", core("C0") + " " + core("C2")) + allocated("A", "S", "3")});
  EXPECT_EQ(task_of(model, "A").core, 0);
}

TEST(Mapping, ASchedulerWithoutResponsibilityIsWarnedAbout) {
  const Imported model =
      import_parts({.schedulers = scheduler("S", fixed), .mapping = allocated("A", "S", "3")});
  EXPECT_THAT(model.findings, Contains(warning("no-responsibility", "`S`")));
}

// Several cores for one task.

TEST(Mapping, ATaskOfSeveralCoresMayBeInTheWayOnEach) {
  const auto model = [](const std::string& cores) {
    return import_parts({.schedulers = scheduler("S", fixed),
                         .mapping = responsible("S", core("C0") + " " + core("C1")) +
                                    with_affinity("A", cores) + allocated("B", "S", "2")});
  };
  EXPECT_THAT(model(core("C0") + " " + core("C1")).findings,
              Contains(warning("several-cores", "`A` may run on C0, C1")));
  EXPECT_THAT(model(core("C0")).findings, Not(Contains(warning("several-cores", "`A`"))));
}

/// A waits for work of W, which has ticks for the definition "Core" of C0 and C1 alone.
Imported with_worker(const std::string& units) {
  const std::string worker =
      task(
          "A", "every_10ms?type=PeriodicStimulus",
          R"(<items xsi:type="am:InterProcessTrigger" stimulus="go?type=InterProcessStimulus"/><items xsi:type="am:WaitEvent" waitingBehaviour="passive"><eventMask events="done?type=OsEvent"/></items>)" +
              clear("done")) +
      task("W", "go?type=InterProcessStimulus",
           call("w") + R"(<items xsi:type="am:SetEvent"><eventMask events="done?type=OsEvent"/></items>)") +
      runnable("w", 1'000'000, 0) + R"(<events name="done"/>)";
  return import_parts({.software = worker,
                       .stimuli = every(10) + R"(<stimuli xsi:type="am:InterProcessStimulus" name="go"/>)",
                       .schedulers = scheduler("S", fixed),
                       .mapping = responsible("S", core("C0") + " " + core("C1") + " " + core("G")) +
                                  with_affinity("A", core("C0")) + with_affinity("W", units)});
}

TEST(Mapping, WorkForOthersRunsWhereItHasTicks) {
  const Imported model = with_worker(core("G") + " " + core("C1"));
  const Task& task = task_of(model, "A");
  ASSERT_THAT(task.work.nodes, SizeIs(3));
  EXPECT_EQ(task.work.nodes[1].core, 1);
  EXPECT_THAT(model.findings, Not(Contains(warning("several-cores"))));
}

TEST(Mapping, WorkForOthersOnSeveralCoresMayBeInTheWayOnEach) {
  EXPECT_THAT(with_worker(core("C0") + " " + core("C1")).findings,
              Contains(warning("several-cores", "`W`, whose work others wait for, may run on C0, C1")));
}

// GPUs.

/// A of 10 ms waits for work on the GPU of 3 ms; it may have a grid.
std::string offload(const std::string& name, const std::string& stimulus, const std::string& grid = "",
                    const std::string& waiting = "passive") {
  const std::string worker = "on_" + name;
  return task(name, stimulus + "?type=PeriodicStimulus",
              call("r") + R"(<items xsi:type="am:InterProcessTrigger" stimulus="go_)" + name +
                  R"(?type=InterProcessStimulus"/><items xsi:type="am:WaitEvent" waitingBehaviour=")" +
                  waiting + R"("><eventMask events="done_)" + name + R"(?type=OsEvent"/></items>)" +
                  clear("done_" + name)) +
         task(worker, "go_" + name + "?type=InterProcessStimulus",
              call("k_" + name) + R"(<items xsi:type="am:SetEvent"><eventMask events="done_)" + name +
                  R"(?type=OsEvent"/></items>)") +
         R"(<runnables name="k_)" + name + R"(">)" + grid +
         R"(<activityGraph><items xsi:type="am:Ticks"><default xsi:type="am:DiscreteValueConstant" value="3000000"/></items></activityGraph></runnables><events name="done_)" +
         name + R"("/>)";
}

const std::string offload_stimuli =
    every(10) + every(20) +
    R"(<stimuli xsi:type="am:InterProcessStimulus" name="go_A"/><stimuli xsi:type="am:InterProcessStimulus" name="go_B"/>)";

/// Two tasks that use the GPU, whose scheduler has this algorithm and these parameters.
Imported with_slices(const std::string& inside,
                     const std::string& algorithm = "UserSpecificSchedulingAlgorithm") {
  return import_parts(
      {.software = offload("A", "every_10ms") + offload("B", "every_20ms") + runnable("r", 1'000'000, 0),
       .stimuli = offload_stimuli,
       .schedulers = scheduler("S", fixed) +
                     R"(<taskSchedulers name="SG"><schedulingAlgorithm xsi:type="am:)" + algorithm + R"(">)" +
                     inside + "</schedulingAlgorithm></taskSchedulers>",
       .mapping = responsible("S", core("C0")) + responsible("SG", core("G")) + allocated("A", "S", "3") +
                  allocated("B", "S", "2") + allocated("on_A", "SG") + allocated("on_B", "SG")});
}

TEST(Mapping, TimeSlicesAreReadUnderAnyName) {
  for (
      const char* inside :
      {R"(<parameterExtensions key="timeSliceLength" value="40 ms"/>)",
       R"(<parameterExtensions key="TimeSlice" value="40ms"/>)",
       R"(<parameterExtensions key="maximumTimeslice" value="40 ms"/><parameterExtensions key="minimumTimeslice" value="1 ms"/>)",
       R"(<algorithmParameters key="timeSliceLength?type=SchedulingParameterDefinition"><value xsi:type="am:TimeObject" value="40" unit="ms"/></algorithmParameters>)",
       R"(<timeSliceLength value="40" unit="ms"/>)"}) {
    const Imported model = with_slices(inside);
    ASSERT_TRUE(model.converted) << inside;
    EXPECT_EQ(model.converted->system.policy.time_slice, milliseconds{40}) << inside;
    EXPECT_THAT(model.findings, Not(Contains(Field(&Finding::is_open, true)))) << inside;
  }
}

TEST(Mapping, TimeSlicesThatAreNotKnownAreOpen) {
  const Imported strange = with_slices(R"(<parameterExtensions key="maximumTimeslice" value="50000"/>)");
  EXPECT_THAT(strange.findings, Contains(open_warning("time-slice", "`50000` is not understood")));
  const Imported missing = with_slices(R"(<algorithmParameters key="timeSliceLength"/>)");
  EXPECT_THAT(missing.findings, Contains(open_warning("time-slice", "is not understood")));
  const Imported least = with_slices(R"(<parameterExtensions key="minimumTimeslice" value="30 ms"/>)");
  EXPECT_THAT(least.findings, Contains(open_warning("time-slice", "30ms at least")));
  ASSERT_TRUE(least.converted);
  EXPECT_EQ(least.converted->system.policy.time_slice, milliseconds{30});
  EXPECT_THAT(with_slices("").findings,
              Contains(open_warning("time-slice", "does not say how long a process")));
  const Imported small = with_slices(R"(<parameterExtensions key="minimumTimeslice" value="30 us"/>)");
  EXPECT_EQ(small.converted->system.policy.time_slice, Policy{}.time_slice);
}

TEST(Mapping, AnAlgorithmOfTheGpuThatIsNotTurnsIsOpen) {
  for (const char* algorithm :
       {"FixedPriorityPreemptive", "EarliestDeadlineFirst", "PriorityBasedRoundRobin", "Whatever"}) {
    EXPECT_THAT(with_slices("", algorithm).findings,
                Contains(open_warning("scheduler", "taken as turns of 2ms for all")))
        << algorithm;
  }
  const std::string slice = R"(<parameterExtensions key="maximumTimeslice" value="40 ms"/>)";
  EXPECT_THAT(with_slices(slice, "FixedPriorityPreemptive").findings, Contains(open_warning("scheduler")));
  for (const char* algorithm : {"UserSpecificSchedulingAlgorithm", "Whatever"})
    EXPECT_THAT(with_slices(slice, algorithm).findings, Not(Contains(warning("scheduler")))) << algorithm;
}

TEST(Mapping, APriorityThatIsNoNumberIsAProblem) {
  const Imported model =
      import_parts({.software = four_tasks,
                    .stimuli = four_stimuli,
                    .schedulers = scheduler("S", fixed),
                    .mapping = responsible("S", core("C0")) + allocated("A", "S", "high")});
  ASSERT_FALSE(model.converted);
  EXPECT_THAT(model.problems.at(0).message, HasSubstr("priority `high`"));
}

/// Hardware with a second GPU "H" of 5 SMs.
std::string two_gpus() {
  std::string hardware = small_hardware;
  hardware.insert(
      hardware.find("<definitions"),
      R"(<definitions xsi:type="am:ProcessingUnitDefinition" name="Big" puType="GPU" features="SMs/five?type=HwFeature"/>)");
  hardware.insert(hardware.find("<features"), R"(<features name="five" value="5.0"/>)");
  hardware.insert(
      hardware.find("<modules"),
      R"(<modules xsi:type="am:ProcessingUnit" name="H" definition="Big?type=ProcessingUnitDefinition" frequencyDomain="F?type=FrequencyDomain"/>)");
  return hardware;
}

Imported with_two_gpus(const std::string& second) {
  const std::string grid =
      R"(<customProperties key="GridSize"><value xsi:type="am:IntegerObject" value="40"/></customProperties>)";
  return import_parts(
      {.software =
           offload("A", "every_10ms", grid) + offload("B", "every_20ms", grid) + runnable("r", 1'000'000, 0),
       .stimuli = offload_stimuli,
       .hardware = two_gpus(),
       .schedulers = scheduler("S", fixed) + scheduler("SG", "UserSpecificSchedulingAlgorithm") +
                     scheduler("SH", "UserSpecificSchedulingAlgorithm"),
       .mapping = responsible("S", core("C0")) + responsible("SG", core("G")) + responsible("SH", core("H")) +
                  allocated("A", "S", "3") + allocated("B", "S", "2") + allocated("on_A", "SH") +
                  allocated("on_B", second)});
}

TEST(Mapping, OfSeveralGpusTheSmallestDoesTheWorkOfAll) {
  const Imported both = with_two_gpus("SG");
  ASSERT_TRUE(both.converted);
  EXPECT_EQ(both.converted->system.platform.gpu.sms, 2);
  EXPECT_THAT(both.findings, Contains(warning("several-gpus", "with the SMs of `G` (2)")));
}

TEST(Mapping, GpusWithoutWorkDoNotCount) {
  const Imported one = with_two_gpus("SH");
  ASSERT_TRUE(one.converted);
  EXPECT_EQ(one.converted->system.platform.gpu.sms, 5);
  EXPECT_FALSE(noticed(one, "several-gpus"));
}

// Accelerators.

/// Hardware with an accelerator "N", whose name comes before those of the cores.
std::string with_accelerator() {
  std::string hardware = small_hardware;
  hardware.insert(
      hardware.find("<definitions"),
      R"(<definitions xsi:type="am:ProcessingUnitDefinition" name="Neural" puType="Accelerator"/>)");
  hardware.insert(
      hardware.find("<modules"),
      R"(<modules xsi:type="am:ProcessingUnit" name="Accelerator" definition="Neural?type=ProcessingUnitDefinition" frequencyDomain="F?type=FrequencyDomain"/>)");
  return hardware;
}

Imported on_accelerator(const std::string& waiting, const Options& options = {}) {
  return import_parts(
      {.software = offload("A", "every_10ms", "", waiting) + offload("B", "every_20ms", "", waiting) +
                   runnable("r", 1'000'000, 0),
       .stimuli = offload_stimuli,
       .hardware = with_accelerator(),
       .schedulers = scheduler("S", fixed) + scheduler("T", fixed) + scheduler("SN", fixed),
       .mapping = responsible("S", core("C0")) + responsible("T", core("C1")) +
                  responsible("SN", core("Accelerator")) + allocated("A", "S", "3") +
                  allocated("B", "T", "2") + allocated("on_A", "SN") + allocated("on_B", "SN")},
      options);
}

TEST(Mapping, WorkOnAnAcceleratorCompetesOnACoreOfItsOwn) {
  const Imported model = on_accelerator("passive");
  ASSERT_TRUE(model.converted);
  EXPECT_EQ(model.converted->system.platform.clusters, (std::vector<std::int32_t>{2, 1}));
  EXPECT_EQ(model.converted->cores, (std::vector<std::string>{"C0", "C1", "Accelerator"}));
  for (const char* name : {"A", "B"}) {
    const Task& task = task_of(model, name);
    ASSERT_THAT(task.work.nodes, SizeIs(3));
    EXPECT_EQ(task.work.nodes[1].core, 2);
    EXPECT_EQ(task.work.nodes[1].segment, Segment{CpuSegment{Interval::exactly(milliseconds{3})}});
  }
  EXPECT_THAT(model.findings, Contains(warning("accelerator", "up to 3ms more")));
  EXPECT_THAT(model.findings, Contains(assumption("accelerator", "core 2")));
}

TEST(Mapping, ABusyWaitForAnAcceleratorIsWarnedAbout) {
  EXPECT_THAT(on_accelerator("active").findings, Contains(warning("busy-elsewhere")));
}

TEST(Mapping, OpenTasksDoNotGetAnAccelerator) {
  Options options;
  options.open = true;
  const Imported model = on_accelerator("passive", options);
  const Task& task = task_of(model, "A");
  EXPECT_TRUE(task.any_core);
  EXPECT_TRUE(task.choices.empty());
  const auto& work = std::get<CpuSegment>(task.work.nodes[0].segment);
  ASSERT_THAT(work.by_core, SizeIs(1));
  EXPECT_EQ(work.by_core[0].cores.first, 0);
  EXPECT_EQ(work.by_core[0].cores.count, 2);
  EXPECT_EQ(task.work.nodes[1].core, 2);
}

/// A is allocated to a scheduler of these units; it has ticks for all.
Imported anywhere(const std::string& units, const Options& options = {}) {
  return import_parts(
      {.software =
           task("A", "every_10ms?type=PeriodicStimulus", call("any")) +
           R"(<runnables name="any"><activityGraph><items xsi:type="am:Ticks"><default xsi:type="am:DiscreteValueConstant" value="1000"/></items></activityGraph></runnables>)",
       .stimuli = every(10),
       .hardware = with_accelerator(),
       .schedulers = scheduler("S", fixed),
       .mapping = responsible("S", units) + allocated("A", "S", "3")},
      options);
}

TEST(Mapping, TasksRunOnAnAcceleratorOnlyWhereNothingElseIsGiven) {
  EXPECT_EQ(task_of(anywhere(core("Accelerator")), "A").core, 2);
  EXPECT_NE(task_of(anywhere(core("Accelerator") + " " + core("C1")), "A").core, 2);
  Options options;
  options.open = true;
  const Imported model = anywhere(core("Accelerator"), options);
  EXPECT_FALSE(task_of(model, "A").any_core);
  EXPECT_EQ(task_of(model, "A").core, 2);
}

// Interrupts.

std::string interrupt(const std::string& name, const std::string& stimulus, const std::string& items = "") {
  return R"(<isrs name=")" + name + R"(" stimuli=")" + stimulus +
         R"(" category="category2"><activityGraph>)" + call("r") + items + "</activityGraph></isrs>";
}

std::string served(const std::string& name, const std::string& priority) {
  return R"(<isrAllocation isr=")" + name +
         R"(?type=ISR" controller="IC?type=InterruptController" priority=")" + priority + R"("/>)";
}

const std::string controller_on_c1 =
    R"(<schedulerAllocation scheduler="IC?type=InterruptController" responsibility="C1?type=ProcessingUnit"/>)";

Parts with_interrupts(const std::string& algorithm, const std::string& controller) {
  return {.software = four_tasks + interrupt("I", "every_40ms?type=PeriodicStimulus") +
                      interrupt("J", "every_20ms?type=PeriodicStimulus"),
          .schedulers = scheduler("S", algorithm) + R"(<interruptControllers name="IC"/>)",
          .mapping = responsible("S", core("C0") + " " + core("C1")) + controller +
                     on_core("A", "C1", "1000") + on_core("B", "C1", "1") + served("I", "9") +
                     served("J", "5")};
}

TEST(Mapping, InterruptsPrecedeAllTasksOfTheCoreOfTheirController) {
  const Imported model = import_parts(with_interrupts(fixed, controller_on_c1));
  EXPECT_EQ(task_of(model, "I").core, 1);
  EXPECT_EQ(task_of(model, "I").period, milliseconds{40});
  EXPECT_TRUE(is_order(model, {"I", "J", "A", "B"}));
  EXPECT_THAT(model.findings, Contains(assumption("interrupts", "`J`, `I`")));
  EXPECT_THAT(model.findings, Not(Contains(warning("several-cores", "interrupt"))));
  for (const Ignored& one : model.census.ignored) ADD_FAILURE() << one.name << " is left out";
  EXPECT_EQ(task_of(model, "A").priority, 1000);
}

TEST(Mapping, InterruptsOfAnUnknownCoreAreWarnedAbout) {
  const Imported model = import_parts(with_interrupts(fixed, ""));
  EXPECT_THAT(model.findings, Contains(warning("several-cores", "which core serves interrupt `I`")));
}

TEST(Mapping, InterruptsByDeadlineAreWarnedAbout) {
  const Imported model = import_parts(with_interrupts("EarliestDeadlineFirst", controller_on_c1));
  EXPECT_THAT(model.findings, Contains(warning("interrupts", "by deadline")));
}

TEST(Mapping, InterruptsTriggerTasks) {
  const Imported model = import_parts(
      {.software =
           task("A", "go?type=InterProcessStimulus", call("r")) +
           interrupt(
               "I", "every_20ms?type=PeriodicStimulus",
               R"(<items xsi:type="am:InterProcessTrigger" stimulus="go?type=InterProcessStimulus"/>)") +
           runnable("r", 1'000'000, 0),
       .stimuli = every(20) + R"(<stimuli xsi:type="am:InterProcessStimulus" name="go"/>)",
       .schedulers = scheduler("S", fixed) + R"(<interruptControllers name="IC"/>)",
       .mapping =
           responsible("S", core("C0")) + controller_on_c1 + allocated("A", "S", "3") + served("I", "1")});
  EXPECT_EQ(task_of(model, "A").period, milliseconds{20});
  EXPECT_TRUE(is_order(model, {"I", "A"}));
}

TEST(Mapping, OpenInterruptsKeepTheirCore) {
  Options options;
  options.open = true;
  const Imported model = import_parts(with_interrupts(fixed, controller_on_c1), options);
  EXPECT_FALSE(task_of(model, "I").any_core);
  EXPECT_EQ(task_of(model, "I").core, 1);
  EXPECT_TRUE(task_of(model, "A").any_core);
}

TEST(Mapping, AnInterruptForWhichATaskWaitsIsWarnedAbout) {
  const Imported model = import_parts(
      {.software =
           task(
               "A", "every_10ms?type=PeriodicStimulus",
               R"(<items xsi:type="am:InterProcessTrigger" stimulus="go?type=InterProcessStimulus"/><items xsi:type="am:WaitEvent"><eventMask events="done?type=OsEvent"/></items>)") +
           interrupt("I", "go?type=InterProcessStimulus",
                     R"(<items xsi:type="am:SetEvent"><eventMask events="done?type=OsEvent"/></items>)") +
           runnable("r", 1'000'000, 0) + R"(<events name="done"/>)",
       .stimuli = every(10) + R"(<stimuli xsi:type="am:InterProcessStimulus" name="go"/>)",
       .schedulers = scheduler("S", fixed) + R"(<interruptControllers name="IC"/>)",
       .mapping =
           responsible("S", core("C0")) + controller_on_c1 + allocated("A", "S", "3") + served("I", "1")});
  EXPECT_THAT(model.findings, Contains(warning("awaited-interrupt", "`I`")));
}

}  // namespace
}  // namespace tactus::import
