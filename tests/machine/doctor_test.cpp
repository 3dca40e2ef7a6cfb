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
    if (finding.level != Level::pass) ids.push_back(finding.id);
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
  Level level;
  const char* found;
  const char* to_do;  // some of its words
};

template <typename Facts>
void expect_one_finding(const std::vector<Finding>& findings, const Case<Facts>& example) {
  ASSERT_THAT(ids_not_passed(findings), testing::ElementsAre(example.id));
  const Finding finding = finding_of(findings, example.id);
  EXPECT_EQ(finding.level, example.level);
  EXPECT_THAT(finding.found, HasSubstr(example.found));
  EXPECT_THAT(finding.to_do, HasSubstr(example.to_do));
  if (finding.level >= Level::warn) {
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
                    "scheduling-class", Level::fail, "Operation not permitted", "rtprio 99"},
        MachineCase{"NoClassForRootInAContainer",
                    [](MachineFacts& facts) {
                      facts.attempts.real_time_class = no_class;
                      facts.permissions.root = true;
                    },
                    "scheduling-class", Level::fail, "SCHED_FIFO", "--cap-add SYS_NICE"},
        MachineCase{"NoClassInSpiteOfTheRight",
                    [](MachineFacts& facts) {
                      facts.attempts.real_time_class = no_class;
                      facts.permissions.root = true;
                      facts.permissions.may_raise_priority = true;
                    },
                    "scheduling-class", Level::fail, "SCHED_FIFO", "control group"},
        MachineCase{"Throttling",
                    [](MachineFacts& facts) {
                      facts.kernel.throttling = {milliseconds{950}, milliseconds{1000}};
                    },
                    "real-time-share", Level::warn, "950ms of every 1s", "sched_rt_runtime_us=-1"},
        MachineCase{"NoMemoryLock", [](MachineFacts& facts) { facts.attempts.memory_lock = no_lock; },
                    "memory-lock", Level::fail, "not permitted", "memlock"},
        MachineCase{"LittleMemoryLock",
                    [](MachineFacts& facts) { facts.permissions.memory_lock_limit = 8 << 20; }, "memory-lock",
                    Level::warn, "up to 8MiB", "memlock unlimited"},
        MachineCase{"OneCore", [](MachineFacts& facts) { facts.attempts.usable_cpus = 1; }, "cores",
                    Level::warn, "1 usable of 4", "two cores"},
        MachineCase{"NoIsolatedCore",
                    [](MachineFacts& facts) {
                      facts.kernel.isolated = {};
                      facts.attempts.usable_isolated = {};
                    },
                    "isolated-cores", Level::warn, "none", "isolcpus="},
        MachineCase{"IsolatedForOthers", [](MachineFacts& facts) { facts.attempts.usable_isolated = {3}; },
                    "isolated-cores", Level::warn, "2-3, of which this process may use 3", "cpuset"},
        MachineCase{"StockKernel", [](MachineFacts& facts) { facts.kernel.real_time = false; }, "kernel",
                    Level::warn, "6.1.0-rt without PREEMPT_RT", "PREEMPT_RT"},
        MachineCase{"VirtualMachine", [](MachineFacts& facts) { facts.kernel.virtual_host = "QEMU"; },
                    "virtual-machine", Level::warn, "yes (QEMU)", "bare metal"},
        MachineCase{"VirtualMachineOfUnknownKind",
                    [](MachineFacts& facts) { facts.kernel.virtual_host = ""; }, "virtual-machine",
                    Level::warn, "yes", "bare metal"},
        MachineCase{"FrequencyMoves",
                    [](MachineFacts& facts) {
                      facts.kernel.governors = {"performance", "schedutil"};
                    },
                    "cpu-frequency", Level::warn, "performance, schedutil", "cpupower"},
        MachineCase{"FrequencyNotShown", [](MachineFacts& facts) { facts.kernel.governors = {}; },
                    "cpu-frequency", Level::info, "not shown", ""},
        MachineCase{"SeveralThreadsACore",
                    [](MachineFacts& facts) { facts.kernel.several_threads_a_core = true; }, "core-threads",
                    Level::warn, "SMT is on", "smt/control"},
        MachineCase{"SlowClock", [](MachineFacts& facts) { facts.kernel.clock_source = "hpet"; }, "clock",
                    Level::warn, "hpet", "available_clocksource"},
        MachineCase{"ClockNotShown", [](MachineFacts& facts) { facts.kernel.clock_source = ""; }, "clock",
                    Level::info, "not shown", ""},
        MachineCase{"LateWakeUps",
                    [](MachineFacts& facts) { facts.timers->sleep.p99 = good_wake_up + nanoseconds(1); },
                    "timer-sleep", Level::warn, "100.001us (p99)", "Shallow idle states"},
        MachineCase{"LateWakeUpsWithoutTheClass",
                    [](MachineFacts& facts) {
                      facts.timers->sleep.p99 = milliseconds{5};
                      facts.timers->in_real_time_class = false;
                    },
                    "timer-sleep", Level::warn, "5ms (p99)", "First get the real-time class"},
        MachineCase{"ALateRelease",
                    [](MachineFacts& facts) { facts.timers->sleep_then_spin.max = nanoseconds(338'001); },
                    "timer-release", Level::warn, "338.001us (max of 1,000)", "{release: 339us}"},
        MachineCase{"ReleasesAtTheEdgeOfUse",
                    [](MachineFacts& facts) {
                      facts.timers->sleep_then_spin.p99 = useless_release;
                      facts.timers->sleep_then_spin.max = milliseconds{2};
                    },
                    "timer-release", Level::warn, "1ms (p99)", "{release: 2ms}"},
        MachineCase{"UselessReleases",
                    [](MachineFacts& facts) {
                      facts.timers->sleep_then_spin.p99 = useless_release + nanoseconds(1);
                      facts.timers->sleep_then_spin.max = milliseconds{2};
                    },
                    "timer-release", Level::fail, "1.001ms (p99)", "{release: 2ms}"},
        MachineCase{
            "AHypervisor",
            [](MachineFacts& facts) {
              facts.timers->cpu.taken = {1200, milliseconds{40}, good_release + nanoseconds(1)};
              facts.timers->cpu.switches = 3;
            },
            "cpu-taken", Level::warn,
            "1,200 times for 20us or more in 500ms, 50.001us at the longest; by another thread at most 3",
            "only its host can help"},
        MachineCase{"OtherThreads",
                    [](MachineFacts& facts) {
                      facts.timers->cpu.taken = {1, milliseconds{4}, milliseconds{4}};
                      facts.timers->cpu.switches = 1;
                    },
                    "cpu-taken", Level::warn, "1 time for 20us or more", "isolated cores"}),
    [](const auto& parameter) { return parameter.param.name; });

TEST(Checkup, AGoodMachineHasNothingToDo) {
  const std::vector<Finding> findings = check_machine(good_machine());
  EXPECT_THAT(ids_not_passed(findings), IsEmpty());
  for (const Finding& finding : findings) EXPECT_THAT(finding.to_do, IsEmpty()) << finding.id;
  EXPECT_EQ(worst(findings), Level::pass);
}

TEST(Checkup, TheLimitsThemselvesAreGood) {
  MachineFacts facts = good_machine();
  facts.timers->sleep.p99 = good_wake_up;
  facts.timers->sleep_then_spin.max = good_release;
  facts.timers->cpu.taken = {5, milliseconds{1}, good_release};
  EXPECT_THAT(ids_not_passed(check_machine(facts)), IsEmpty());
}

TEST(Checkup, ALimitOnMemoryMeansNothingToThoseAboveIt) {
  MachineFacts facts = good_machine();
  facts.permissions.memory_lock_limit = 8 << 20;
  facts.permissions.may_lock_memory = true;
  EXPECT_THAT(ids_not_passed(check_machine(facts)), IsEmpty());
}

TEST(Checkup, IsolatedCoresWithATickSaySo) {
  MachineFacts facts = good_machine();
  facts.kernel.tickless = {2};
  const std::vector<Finding> findings = check_machine(facts);
  EXPECT_THAT(ids_not_passed(findings), IsEmpty());
  EXPECT_EQ(finding_of(findings, "isolated-cores").found, "2-3, with a periodic tick");
}

TEST(Checkup, TimersThatWereNotMeasuredAreNotJudged) {
  MachineFacts facts = good_machine();
  facts.timers.reset();
  const std::vector<Finding> findings = check_machine(facts);
  EXPECT_THAT(ids_not_passed(findings), testing::ElementsAre("timer-sleep", "timer-release", "cpu-taken"));
  EXPECT_EQ(worst(findings), Level::pass);
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
                "gpu", Level::fail, "none", "nvidia-smi"},
        GpuCase{"BuiltWithoutCuda", [](GpuFacts& facts) { facts.cuda.reset(); }, "gpu", Level::fail,
                "NVIDIA H200, but this tactus was built without CUDA", "cmake --preset cuda"},
        GpuCase{"Hidden", [](GpuFacts& facts) { facts.cuda->devices.clear(); }, "gpu", Level::fail,
                "NVIDIA H200, but CUDA shows no device", "CUDA_VISIBLE_DEVICES"},
        GpuCase{"DriverDoesNotAnswer",
                [](GpuFacts& facts) {
                  facts.cuda = CudaFacts{13000, {}, "CUDA: cannot count the devices: unknown error"};
                },
                "gpu", Level::fail, "unknown error", "restart"},
        GpuCase{"OldDriver", [](GpuFacts& facts) { facts.cuda->version = 12040; }, "gpu-driver", Level::warn,
                "580.65.06, CUDA 12.4", "newer driver"},
        GpuCase{"ClockBelowItsMaximum", [](GpuFacts& facts) { facts.boards->front().sm_clock_mhz = 345; },
                "gpu-clocks", Level::warn, "345 of 1980 MHz", "--lock-gpu-clocks=1980,1980"},
        GpuCase{"ClockNotShown", [](GpuFacts& facts) { facts.boards->front().sm_clock_mhz.reset(); },
                "gpu-clocks", Level::info, "not shown", ""},
        GpuCase{"NoPersistence", [](GpuFacts& facts) { facts.boards->front().persistence = false; },
                "gpu-persistence", Level::warn, "off", "nvidia-smi -pm 1"},
        GpuCase{"PersistenceNotShown", [](GpuFacts& facts) { facts.boards->front().persistence.reset(); },
                "gpu-persistence", Level::info, "not shown", ""},
        GpuCase{"Split", [](GpuFacts& facts) { facts.boards->front().split = true; }, "gpu-instances",
                Level::info, "MIG is on", ""},
        GpuCase{"OnePriority", [](GpuFacts& facts) { facts.cuda->devices[0].priority_levels = 1; },
                "stream-priorities", Level::warn, "1 level", "single-stream"},
        GpuCase{"PartitionsNotAsked",
                [](GpuFacts& facts) { facts.cuda->devices[0].partition_granularity.reset(); },
                "sm-partitions", Level::info, "not asked", ""},
        GpuCase{"NoPartitions", [](GpuFacts& facts) { facts.cuda->devices[0].partition_granularity = 0; },
                "sm-partitions", Level::warn, "not possible", "pinned"},
        GpuCase{"OneOther", [](GpuFacts& facts) { facts.processes = 1; }, "gpu-users", Level::warn,
                "1 process computing", "EXCLUSIVE_PROCESS"},
        GpuCase{"Others", [](GpuFacts& facts) { facts.processes = 3; }, "gpu-users", Level::warn,
                "3 processes computing", "EXCLUSIVE_PROCESS"},
        GpuCase{"OthersNotKnown", [](GpuFacts& facts) { facts.processes.reset(); }, "gpu-users", Level::info,
                "not known", ""},
        GpuCase{"Mps", [](GpuFacts& facts) { facts.mps = true; }, "mps", Level::warn, "control pipe",
                "quit"}),
    [](const auto& parameter) { return parameter.param.name; });

TEST(Checkup, AGoodGpuHasNothingToDo) {
  const std::vector<Finding> findings = check_gpus(good_gpu(), Target::cuda);
  EXPECT_THAT(ids_not_passed(findings), IsEmpty());
  EXPECT_EQ(finding_of(findings, "gpu").found, "NVIDIA H200 (132 SMs)");
  EXPECT_EQ(finding_of(findings, "gpu-driver").found, "580.65.06, CUDA 13.0");
  EXPECT_EQ(finding_of(findings, "stream-priorities").found, "6 levels");
  EXPECT_EQ(finding_of(findings, "sm-partitions").found, "in groups of 8 SMs");
}

TEST(Checkup, AMissingGpuIsAWarningUnlessItWasAskedFor) {
  EXPECT_EQ(worst(check_gpus({}, Target::any)), Level::warn);
  EXPECT_EQ(worst(check_gpus({}, Target::cuda)), Level::fail);
  EXPECT_THAT(check_gpus({}, Target::host), IsEmpty());
  EXPECT_THAT(check_gpus(good_gpu(), Target::host), IsEmpty());
}

TEST(Checkup, OneBadBoardOfTwoIsFound) {
  GpuFacts facts = good_gpu();
  facts.boards->push_back({"NVIDIA H200", "580.65.06", false, 345, 1980, "Default", true});
  EXPECT_THAT(ids_not_passed(check_gpus(facts, Target::cuda)),
              testing::ElementsAre("gpu-clocks", "gpu-persistence", "gpu-instances"));
}

TEST(Checkup, TheWorstLevelCounts) {
  EXPECT_EQ(worst({}), Level::pass);
  std::vector<Finding> findings(3);
  EXPECT_EQ(worst(findings), Level::pass) << "information is no objection";
  findings[1].level = Level::warn;
  EXPECT_EQ(worst(findings), Level::warn);
  findings[0].level = Level::fail;
  EXPECT_EQ(worst(findings), Level::fail);
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
