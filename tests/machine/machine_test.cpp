// Facts are read from the kernel's own texts, here from made-up ones, and trying leaves no trace.
#include "tactus/machine/machine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>
#include <fstream>

#include "support/temporary_folder.hpp"
#include "tactus/machine/system_text.hpp"

namespace tactus::machine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

void write(const std::filesystem::path& root, const std::string& file, const std::string& text) {
  std::filesystem::create_directories((root / file).parent_path());
  std::ofstream{root / file} << text;
}

TEST(SystemText, CpuListsAreReadAndWritten) {
  EXPECT_THAT(cpu_list("0-3,8"), ElementsAre(0, 1, 2, 3, 8));
  EXPECT_THAT(cpu_list("5"), ElementsAre(5));
  EXPECT_THAT(cpu_list("2-3,6-7"), ElementsAre(2, 3, 6, 7));
  EXPECT_THAT(cpu_list(""), IsEmpty());
  EXPECT_THAT(cpu_list("(null)"), IsEmpty());
  EXPECT_THAT(cpu_list("3-1"), IsEmpty());
  EXPECT_THAT(cpu_list("-2"), IsEmpty());
  EXPECT_THAT(cpu_list("4094-99999999999"), ElementsAre(4094, 4095));
  for (const char* text : {"0-3,8", "5", "0,2,4-5"}) EXPECT_EQ(cpu_list_text(cpu_list(text)), text);
  EXPECT_EQ(cpu_list_text({}), "none");
}

TEST(SystemText, WholeNumbersAreWhole) {
  EXPECT_EQ(whole_number("950000"), 950000);
  EXPECT_EQ(whole_number("-1"), -1);
  for (const char* text : {"", "1 ", "1.5", "x", "99999999999999999999"}) {
    EXPECT_EQ(whole_number(text), std::nullopt) << text;
  }
}

TEST(SystemText, FilesAreTrimmedAndMayBeMissing) {
  const test::TemporaryFolder folder;
  write(folder.path(), "some", "  tsc \n");
  write(folder.path(), "empty", "");
  EXPECT_EQ(system_text(folder.path() / "some"), "tsc");
  EXPECT_EQ(system_text(folder.path() / "empty"), "");
  EXPECT_EQ(system_text(folder.path() / "missing"), std::nullopt);
}

TEST(KernelFacts, AreReadFromProcAndSys) {
  const test::TemporaryFolder folder;
  const std::filesystem::path& root = folder.path();
  write(root, "proc/sys/kernel/osrelease", "6.1.0-rt\n");
  write(root, "sys/kernel/realtime", "1\n");
  write(root, "proc/cpuinfo", "flags\t\t: fpu vme hypervisor lahf_lm\n");
  write(root, "sys/class/dmi/id/sys_vendor", "QEMU\n");
  write(root, "sys/devices/system/cpu/online", "0-3\n");
  write(root, "sys/devices/system/cpu/isolated", "2-3\n");
  write(root, "sys/devices/system/cpu/nohz_full", "3\n");
  write(root, "sys/devices/system/cpu/smt/active", "1\n");
  for (const char* cpu : {"cpu0", "cpu1", "cpu2"}) {
    write(root, std::string{"sys/devices/system/cpu/"} + cpu + "/cpufreq/scaling_governor", "schedutil\n");
  }
  write(root, "sys/devices/system/cpu/cpu3/cpufreq/scaling_governor", "performance\n");
  write(root, "sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
  write(root, "proc/sys/kernel/sched_rt_runtime_us", "950000\n");
  write(root, "proc/sys/kernel/sched_rt_period_us", "1000000\n");
  KernelFacts expected;
  expected.release = "6.1.0-rt";
  expected.real_time = true;
  expected.virtual_host = "QEMU";
  expected.cpus = {0, 1, 2, 3};
  expected.isolated = {2, 3};
  expected.tickless = {3};
  expected.several_threads_a_core = true;
  expected.governors = {"performance", "schedutil"};
  expected.clock_source = "tsc";
  expected.throttling = {std::chrono::milliseconds{950}, std::chrono::seconds{1}};
  EXPECT_EQ(read_kernel_facts(root), expected);
}

TEST(KernelFacts, WhatIsMissingKeepsItsDefault) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(read_kernel_facts(folder.path()), KernelFacts{});
}

TEST(KernelFacts, ARealTimeKernelMaySayItInItsVersionOnly) {
  const test::TemporaryFolder folder;
  write(folder.path(), "proc/sys/kernel/version", "#1 SMP PREEMPT_RT Debian 6.12\n");
  EXPECT_TRUE(read_kernel_facts(folder.path()).real_time);
  write(folder.path(), "proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC Debian 6.12\n");
  EXPECT_FALSE(read_kernel_facts(folder.path()).real_time);
}

TEST(KernelFacts, AHypervisorWithoutAFlagLeavesAFile) {
  const test::TemporaryFolder folder;
  write(folder.path(), "proc/cpuinfo", "flags\t\t: fpu vme\n");
  EXPECT_EQ(read_kernel_facts(folder.path()).virtual_host, std::nullopt);
  write(folder.path(), "sys/hypervisor/type", "xen\n");
  EXPECT_EQ(read_kernel_facts(folder.path()).virtual_host, "xen");
}

TEST(KernelFacts, ThrottlingThatLeavesEverythingIsNone) {
  const test::TemporaryFolder folder;
  write(folder.path(), "proc/sys/kernel/sched_rt_period_us", "1000000\n");
  for (const char* runtime : {"-1", "1000000"}) {
    write(folder.path(), "proc/sys/kernel/sched_rt_runtime_us", runtime);
    EXPECT_EQ(read_kernel_facts(folder.path()).throttling, std::nullopt) << runtime;
  }
}

TEST(Attempts, LeaveTheThreadAsItWas) {
  cpu_set_t before;
  cpu_set_t after;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  const int here = ::sched_getcpu();
  const Attempts attempts = try_real_time({here, 1'000'000});
  EXPECT_THAT(attempts.usable_isolated, ElementsAre(here));
  EXPECT_EQ(attempts.usable_cpus, CPU_COUNT(&before));
  ASSERT_EQ(::sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
  EXPECT_EQ(::sched_getscheduler(0), SCHED_OTHER);
}

TEST(TimerLateness, IsMeasuredAndNeverNegative) {
  std::vector<double> seen;
  const TimerFacts facts = measure_timers({100, std::chrono::microseconds{100}, std::chrono::milliseconds{5}},
                                          {.progress = [&](double part) { seen.push_back(part); }});
  for (const SampleSummary& lateness : {facts.sleep, facts.sleep_then_spin}) {
    EXPECT_EQ(lateness.samples, 100U);
    EXPECT_GE(lateness.median, Duration::zero());
    EXPECT_LE(lateness.median, lateness.p99);
    EXPECT_LE(lateness.p99, lateness.max);
  }
  EXPECT_THAT(seen, ElementsAre(0.25, 0.5, 0.75, 1.0));
  EXPECT_EQ(facts.in_real_time_class, !try_real_time({}).real_time_class);
  EXPECT_GE(facts.cpu.watched, std::chrono::milliseconds{5});
  EXPECT_LE(facts.cpu.taken.longest, facts.cpu.taken.total);
  EXPECT_LE(facts.cpu.taken.total, facts.cpu.watched);
}

}  // namespace
}  // namespace tactus::machine
