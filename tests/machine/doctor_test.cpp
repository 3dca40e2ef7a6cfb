// Judging: one change to a good machine changes one finding, and says what to do.
#include "tactus/machine/doctor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace tactus::machine {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

MachineFacts good_machine() {
  MachineFacts facts;
  facts.kernel.release = "6.1.0-rt";
  facts.kernel.real_time = true;
  facts.kernel.cpus = {0, 1, 2, 3};
  facts.kernel.isolated = {2, 3};
  facts.kernel.tickless = {2, 3};
  facts.kernel.governors = {"performance"};
  facts.kernel.clock_source = "tsc";
  facts.attempts.usable_isolated = {2, 3};
  facts.attempts.usable_cpus = 4;
  facts.timers = TimerFacts{{1000, microseconds{3}, microseconds{8}, microseconds{20}},
                            {1000, nanoseconds(90), nanoseconds(200), microseconds{2}},
                            true,
                            {.watched = milliseconds{500}, .taken = {}}};
  return facts;
}

GpuFacts good_gpu() {
  GpuFacts facts;
  facts.cuda = CudaFacts{13000, {{"NVIDIA H200", 132, 6, 3, 8}}, std::nullopt};
  facts.boards = {{"NVIDIA H200", "580.65.06", true, 1980, 1980, "Default", false}};
  facts.processes = 0;
  return facts;
}

std::vector<std::string> ids_not_passed(const std::vector<Finding>& findings) {
  std::vector<std::string> ids;
  for (const Finding& finding : findings) {
    if (finding.severity != Severity::pass) ids.push_back(finding.id);
  }
  return ids;
}

const Finding& finding_of(const std::vector<Finding>& findings, const std::string& id) {
  return *std::find_if(findings.begin(), findings.end(),
                       [&](const Finding& entry) { return entry.id == id; });
}

template <typename Facts>
struct Case {
  const char* name;
  std::function<void(Facts&)> change;
  const char* id;  // the one finding that is not passed then
  Severity severity;
  const char* found;
  const char* to_do;  // some of its words
};

template <typename Facts>
void expect_one_finding(const std::vector<Finding>& findings, const Case<Facts>& example) {
  ASSERT_THAT(ids_not_passed(findings), testing::ElementsAre(example.id));
  const Finding finding = finding_of(findings, example.id);
  EXPECT_EQ(finding.severity, example.severity);
  EXPECT_THAT(finding.found, HasSubstr(example.found));
  EXPECT_THAT(finding.to_do, HasSubstr(example.to_do));
  if (finding.severity >= Severity::warn) {
    EXPECT_THAT(finding.meaning, Not(IsEmpty()));
    EXPECT_THAT(finding.to_do, Not(IsEmpty()));
  }
}

using MachineCase = Case<MachineFacts>;
class Machine : public testing::TestWithParam<MachineCase> {};
void PrintTo(const MachineCase& example, std::ostream* out) { *out << example.name; }

TEST_P(Machine, OneChangeIsOneFinding) {
  MachineFacts facts = good_machine();
  GetParam().change(facts);
  expect_one_finding(check_machine(facts), GetParam());
}

const Refusal no_class = "SCHED_FIFO with priority 80: Operation not permitted";
const Refusal no_lock = "memory lock: Operation not permitted";

INSTANTIATE_TEST_SUITE_P(
    Findings, Machine,
    testing::Values(
        MachineCase{"NoClassForAUser", [](MachineFacts& facts) { facts.attempts.real_time_class = no_class; },
                    "scheduling-class", Severity::fail, "Operation not permitted", "rtprio 99"},
        MachineCase{"NoClassForRootInAContainer",
                    [](MachineFacts& facts) {
                      facts.attempts.real_time_class = no_class;
                      facts.permissions.root = true;
                    },
                    "scheduling-class", Severity::fail, "SCHED_FIFO", "--cap-add SYS_NICE"},
        MachineCase{"NoClassInSpiteOfTheRight",
                    [](MachineFacts& facts) {
                      facts.attempts.real_time_class = no_class;
                      facts.permissions.root = true;
                      facts.permissions.may_raise_priority = true;
                    },
                    "scheduling-class", Severity::fail, "SCHED_FIFO", "control group"},
        MachineCase{"Throttling",
                    [](MachineFacts& facts) {
                      facts.kernel.throttling = {milliseconds{950}, milliseconds{1000}};
                    },
                    "real-time-share", Severity::warn, "950ms of every 1s", "sched_rt_runtime_us=-1"},
        MachineCase{"NoMemoryLock", [](MachineFacts& facts) { facts.attempts.memory_lock = no_lock; },
                    "memory-lock", Severity::fail, "not permitted", "memlock"},
        MachineCase{"LittleMemoryLock",
                    [](MachineFacts& facts) { facts.permissions.memory_lock_limit = 8 << 20; }, "memory-lock",
                    Severity::warn, "up to 8MiB", "memlock unlimited"},
        MachineCase{"OneCore", [](MachineFacts& facts) { facts.attempts.usable_cpus = 1; }, "cores",
                    Severity::warn, "1 usable of 4", "two cores"},
        MachineCase{"NoIsolatedCore",
                    [](MachineFacts& facts) {
                      facts.kernel.isolated = {};
                      facts.attempts.usable_isolated = {};
                    },
                    "isolated-cores", Severity::warn, "none", "isolcpus="},
        MachineCase{"IsolatedForOthers", [](MachineFacts& facts) { facts.attempts.usable_isolated = {3}; },
                    "isolated-cores", Severity::warn, "2-3, of which this process may use 3", "cpuset"},
        MachineCase{"StockKernel", [](MachineFacts& facts) { facts.kernel.real_time = false; }, "kernel",
                    Severity::warn, "6.1.0-rt without PREEMPT_RT", "PREEMPT_RT"},
        MachineCase{"VirtualMachine", [](MachineFacts& facts) { facts.kernel.virtual_host = "QEMU"; },
                    "virtual-machine", Severity::warn, "yes (QEMU)", "bare metal"},
        MachineCase{"VirtualMachineOfUnknownKind",
                    [](MachineFacts& facts) { facts.kernel.virtual_host = ""; }, "virtual-machine",
                    Severity::warn, "yes", "bare metal"},
        MachineCase{"FrequencyMoves",
                    [](MachineFacts& facts) {
                      facts.kernel.governors = {"performance", "schedutil"};
                    },
                    "cpu-frequency", Severity::warn, "performance, schedutil", "cpupower"},
        MachineCase{"FrequencyNotShown", [](MachineFacts& facts) { facts.kernel.governors = {}; },
                    "cpu-frequency", Severity::info, "not shown", ""},
        MachineCase{"SeveralThreadsACore",
                    [](MachineFacts& facts) { facts.kernel.several_threads_a_core = true; }, "core-threads",
                    Severity::warn, "SMT is on", "smt/control"},
        MachineCase{"SlowClock", [](MachineFacts& facts) { facts.kernel.clock_source = "hpet"; }, "clock",
                    Severity::warn, "hpet", "available_clocksource"},
        MachineCase{"ClockNotShown", [](MachineFacts& facts) { facts.kernel.clock_source = ""; }, "clock",
                    Severity::info, "not shown", ""},
        MachineCase{"LateWakeUps",
                    [](MachineFacts& facts) { facts.timers->sleep.p99 = good_wake_up + nanoseconds(1); },
                    "timer-sleep", Severity::warn, "100.001us (p99)", "Shallow idle states"},
        MachineCase{"LateWakeUpsWithoutTheClass",
                    [](MachineFacts& facts) {
                      facts.timers->sleep.p99 = milliseconds{5};
                      facts.timers->in_real_time_class = false;
                    },
                    "timer-sleep", Severity::warn, "5ms (p99)", "First get the real-time class"},
        MachineCase{"ALateRelease",
                    [](MachineFacts& facts) { facts.timers->sleep_then_spin.max = nanoseconds(338'001); },
                    "timer-release", Severity::warn, "338.001us (max of 1,000)", "{release: 339us}"},
        MachineCase{"ReleasesAtTheEdgeOfUse",
                    [](MachineFacts& facts) {
                      facts.timers->sleep_then_spin.p99 = useless_release;
                      facts.timers->sleep_then_spin.max = milliseconds{2};
                    },
                    "timer-release", Severity::warn, "1ms (p99)", "{release: 2ms}"},
        MachineCase{"UselessReleases",
                    [](MachineFacts& facts) {
                      facts.timers->sleep_then_spin.p99 = useless_release + nanoseconds(1);
                      facts.timers->sleep_then_spin.max = milliseconds{2};
                    },
                    "timer-release", Severity::fail, "1.001ms (p99)", "{release: 2ms}"},
        MachineCase{
            "AHypervisor",
            [](MachineFacts& facts) {
              facts.timers->cpu.taken = {1200, milliseconds{40}, good_release + nanoseconds(1)};
              facts.timers->cpu.switches = 3;
            },
            "cpu-taken", Severity::warn,
            "1,200 times for 20us or more in 500ms, 50.001us at the longest; by another thread at most 3",
            "only its host can help"},
        MachineCase{"OtherThreads",
                    [](MachineFacts& facts) {
                      facts.timers->cpu.taken = {1, milliseconds{4}, milliseconds{4}};
                      facts.timers->cpu.switches = 1;
                    },
                    "cpu-taken", Severity::warn, "1 time for 20us or more", "isolated cores"}),
    [](const auto& parameter) { return parameter.param.name; });

TEST(Diagnosis, AGoodMachineHasNothingToDo) {
  const std::vector<Finding> findings = check_machine(good_machine());
  EXPECT_THAT(ids_not_passed(findings), IsEmpty());
  for (const Finding& finding : findings) EXPECT_THAT(finding.to_do, IsEmpty()) << finding.id;
  EXPECT_EQ(worst(findings), Severity::pass);
}

TEST(Diagnosis, TheLimitsThemselvesAreGood) {
  MachineFacts facts = good_machine();
  facts.timers->sleep.p99 = good_wake_up;
  facts.timers->sleep_then_spin.max = good_release;
  facts.timers->cpu.taken = {5, milliseconds{1}, good_release};
  EXPECT_THAT(ids_not_passed(check_machine(facts)), IsEmpty());
}

TEST(Diagnosis, ALimitOnMemoryMeansNothingToThoseAboveIt) {
  MachineFacts facts = good_machine();
  facts.permissions.memory_lock_limit = 8 << 20;
  facts.permissions.may_lock_memory = true;
  EXPECT_THAT(ids_not_passed(check_machine(facts)), IsEmpty());
}

TEST(Diagnosis, IsolatedCoresWithATickSaySo) {
  MachineFacts facts = good_machine();
  facts.kernel.tickless = {2};
  const std::vector<Finding> findings = check_machine(facts);
  EXPECT_THAT(ids_not_passed(findings), IsEmpty());
  EXPECT_EQ(finding_of(findings, "isolated-cores").found, "2-3, with a periodic tick");
}

TEST(Diagnosis, TimersThatWereNotMeasuredAreNotJudged) {
  MachineFacts facts = good_machine();
  facts.timers.reset();
  const std::vector<Finding> findings = check_machine(facts);
  EXPECT_THAT(ids_not_passed(findings), testing::ElementsAre("timer-sleep", "timer-release", "cpu-taken"));
  EXPECT_EQ(worst(findings), Severity::pass);
}

using GpuCase = Case<GpuFacts>;
class GpuCheck : public testing::TestWithParam<GpuCase> {};
void PrintTo(const GpuCase& example, std::ostream* out) { *out << example.name; }

TEST_P(GpuCheck, OneChangeIsOneFinding) {
  GpuFacts facts = good_gpu();
  GetParam().change(facts);
  expect_one_finding(check_gpus(facts, Target::cuda), GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Findings, GpuCheck,
    testing::Values(
        GpuCase{"None",
                [](GpuFacts& facts) {
                  facts = {CudaFacts{}, std::nullopt, std::nullopt, false};
                },
                "gpu", Severity::fail, "none", "nvidia-smi"},
        GpuCase{"BuiltWithoutCuda", [](GpuFacts& facts) { facts.cuda.reset(); }, "gpu", Severity::fail,
                "NVIDIA H200, but this tactus was built without CUDA", "cmake --preset cuda"},
        GpuCase{"Hidden", [](GpuFacts& facts) { facts.cuda->devices.clear(); }, "gpu", Severity::fail,
                "NVIDIA H200, but CUDA shows no device", "CUDA_VISIBLE_DEVICES"},
        GpuCase{"DriverDoesNotAnswer",
                [](GpuFacts& facts) {
                  facts.cuda = CudaFacts{13000, {}, "CUDA: cannot count the devices: unknown error"};
                },
                "gpu", Severity::fail, "unknown error", "restart"},
        GpuCase{"OldDriver", [](GpuFacts& facts) { facts.cuda->version = 12040; }, "gpu-driver",
                Severity::warn, "580.65.06, CUDA 12.4", "newer driver"},
        GpuCase{"ClockBelowItsMaximum", [](GpuFacts& facts) { facts.boards->front().sm_clock_mhz = 345; },
                "gpu-clocks", Severity::warn, "345 of 1980 MHz", "--lock-gpu-clocks=1980,1980"},
        GpuCase{"ClockNotShown", [](GpuFacts& facts) { facts.boards->front().sm_clock_mhz.reset(); },
                "gpu-clocks", Severity::info, "not shown", ""},
        GpuCase{"NoPersistence", [](GpuFacts& facts) { facts.boards->front().persistence = false; },
                "gpu-persistence", Severity::warn, "off", "nvidia-smi -pm 1"},
        GpuCase{"PersistenceNotShown", [](GpuFacts& facts) { facts.boards->front().persistence.reset(); },
                "gpu-persistence", Severity::info, "not shown", ""},
        GpuCase{"Split", [](GpuFacts& facts) { facts.boards->front().split = true; }, "gpu-instances",
                Severity::info, "MIG is on", ""},
        GpuCase{"OnePriority", [](GpuFacts& facts) { facts.cuda->devices[0].priority_levels = 1; },
                "stream-priorities", Severity::warn, "1 level", "single-stream"},
        GpuCase{"PartitionsNotAsked",
                [](GpuFacts& facts) { facts.cuda->devices[0].partition_granularity.reset(); },
                "sm-partitions", Severity::info, "not asked", ""},
        GpuCase{"NoPartitions", [](GpuFacts& facts) { facts.cuda->devices[0].partition_granularity = 0; },
                "sm-partitions", Severity::warn, "not possible", "pinned"},
        GpuCase{"OneOther", [](GpuFacts& facts) { facts.processes = 1; }, "gpu-users", Severity::warn,
                "1 process computing", "EXCLUSIVE_PROCESS"},
        GpuCase{"Others", [](GpuFacts& facts) { facts.processes = 3; }, "gpu-users", Severity::warn,
                "3 processes computing", "EXCLUSIVE_PROCESS"},
        GpuCase{"OthersNotKnown", [](GpuFacts& facts) { facts.processes.reset(); }, "gpu-users",
                Severity::info, "not known", ""},
        GpuCase{"Mps", [](GpuFacts& facts) { facts.mps = true; }, "mps", Severity::warn, "control pipe",
                "quit"}),
    [](const auto& parameter) { return parameter.param.name; });

TEST(Diagnosis, AGoodGpuHasNothingToDo) {
  const std::vector<Finding> findings = check_gpus(good_gpu(), Target::cuda);
  EXPECT_THAT(ids_not_passed(findings), IsEmpty());
  EXPECT_EQ(finding_of(findings, "gpu").found, "NVIDIA H200 (132 SMs)");
  EXPECT_EQ(finding_of(findings, "gpu-driver").found, "580.65.06, CUDA 13.0");
  EXPECT_EQ(finding_of(findings, "stream-priorities").found, "6 levels");
  EXPECT_EQ(finding_of(findings, "sm-partitions").found, "in groups of 8 SMs");
}

TEST(Diagnosis, AMissingGpuIsAWarningUnlessItWasAskedFor) {
  EXPECT_EQ(worst(check_gpus({}, Target::any)), Severity::warn);
  EXPECT_EQ(worst(check_gpus({}, Target::cuda)), Severity::fail);
  EXPECT_THAT(check_gpus({}, Target::host), IsEmpty());
  EXPECT_THAT(check_gpus(good_gpu(), Target::host), IsEmpty());
}

TEST(Diagnosis, OneBadBoardOfTwoIsFound) {
  GpuFacts facts = good_gpu();
  facts.boards->push_back({"NVIDIA H200", "580.65.06", false, 345, 1980, "Default", true});
  EXPECT_THAT(ids_not_passed(check_gpus(facts, Target::cuda)),
              testing::ElementsAre("gpu-clocks", "gpu-persistence", "gpu-instances"));
}

TEST(Diagnosis, TheWorstLevelCounts) {
  EXPECT_EQ(worst({}), Severity::pass);
  std::vector<Finding> findings(3);
  EXPECT_EQ(worst(findings), Severity::pass) << "information is no objection";
  findings[1].severity = Severity::warn;
  EXPECT_EQ(worst(findings), Severity::warn);
  findings[0].severity = Severity::fail;
  EXPECT_EQ(worst(findings), Severity::fail);
}

TEST(GpuFacts, BoardsAreReadFromWhatNvidiaSmiPrints) {
  const std::vector<GpuBoard> boards = parse_boards(
      "NVIDIA H200, 580.65.06, Enabled, 345, 1980, Default, Disabled\n"
      "Orin, 540.4.0, [N/A], [Not Supported], 1300, Exclusive_Process, [N/A]\n"
      "No devices were found\n\n");
  const std::vector<GpuBoard> expected{
      {"NVIDIA H200", "580.65.06", true, 345, 1980, "Default", false},
      {"Orin", "540.4.0", std::nullopt, std::nullopt, 1300, "Exclusive_Process", std::nullopt}};
  EXPECT_EQ(boards, expected);
  EXPECT_THAT(parse_boards(""), IsEmpty());
}

TEST(GpuFacts, CudaVersionsAreWrittenAsPeopleDo) {
  EXPECT_EQ(cuda_version_text(13000), "13.0");
  EXPECT_EQ(cuda_version_text(12040), "12.4");
}

}  // namespace
}  // namespace tactus::machine
