#include "tactus/machine/doctor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tactus/base/text.hpp"
#include "tactus/machine/system_text.hpp"

namespace tactus::machine {

namespace {

std::string raise_priority_advice(const Permissions& permissions) {
  if (permissions.may_raise_priority) {
    return "The process has the right (CAP_SYS_NICE), so something else forbids it: a control group without "
           "real-time share (cpu.rt_runtime_us), or a container's filter. Ask who runs the machine.";
  }
  if (permissions.root) {
    return "Root without CAP_SYS_NICE is a container: start it with `--cap-add SYS_NICE --ulimit rtprio=99`.";
  }
  return fmt::format(
      "Run as root, or give the right to the program, `sudo setcap cap_sys_nice,cap_ipc_lock+ep tactus`, or "
      "to the user: a line `USER - rtprio 99` in /etc/security/limits.conf (the limit is {} now; log in "
      "again).",
      permissions.priority_limit);
}

Finding check_class(const MachineFacts& facts) {
  Finding finding{"scheduling-class", "real-time class", Severity::pass, "SCHED_FIFO granted"};
  const Refusal& refusal = facts.attempts.real_time_class;
  if (!refusal) return finding;
  finding.severity = Severity::fail;
  finding.found = *refusal;
  finding.meaning =
      "Any other program may run instead of Tactus, for as long as the kernel likes: releases and "
      "completions are then late without a bound.";
  finding.to_do = raise_priority_advice(facts.permissions);
  return finding;
}

Finding check_throttling(const MachineFacts& facts) {
  Finding finding{"real-time-share", "real-time share", Severity::pass, "not limited"};
  const auto& throttling = facts.kernel.throttling;
  if (!throttling) return finding;
  finding.severity = Severity::warn;
  finding.found = fmt::format("{} of every {}", to_text(throttling->allowed), to_text(throttling->period));
  finding.meaning = fmt::format(
      "Real-time threads that fill a core stop for {} once they have used this up. Threads that mostly sleep "
      "do not notice.",
      to_text(throttling->period - throttling->allowed));
  finding.to_do = "`sudo sysctl kernel.sched_rt_runtime_us=-1`, and keep a core for everything else.";
  return finding;
}

Finding check_memory_lock(const MachineFacts& facts) {
  Finding finding{"memory-lock", "memory lock", Severity::pass, "granted"};
  const Permissions& permissions = facts.permissions;
  const Refusal& refusal = facts.attempts.memory_lock;
  const bool limited = permissions.memory_lock_limit && !permissions.may_lock_memory;
  if (!refusal && !limited) return finding;
  finding.severity = refusal ? Severity::fail : Severity::warn;
  finding.found =
      refusal ? *refusal : fmt::format("granted up to {}", size_text(*permissions.memory_lock_limit));
  finding.meaning =
      refusal ? "Memory can be paged out: touching it again may take milliseconds."
              : "Memory beyond the limit can be paged out: touching it again may take milliseconds.";
  finding.to_do =
      "Run as root or with the right to lock memory (CAP_IPC_LOCK), or raise the limit: a line "
      "`USER - memlock unlimited` in /etc/security/limits.conf; in a container `--ulimit memlock=-1`.";
  return finding;
}

Finding check_cores(const MachineFacts& facts) {
  const int cores = facts.attempts.usable_cpus;
  Finding finding{"cores", "cores", Severity::pass,
                  fmt::format("{} usable of {}", cores, facts.kernel.cpus.size())};
  if (cores >= 2) return finding;
  finding.severity = Severity::warn;
  finding.meaning = "The thread that keeps the time and the work itself share one core and delay each other.";
  finding.to_do =
      "Give the process two cores or more (`taskset`, cpuset, or the size of the virtual machine).";
  return finding;
}

Finding check_isolated(const MachineFacts& facts) {
  const std::vector<int>& isolated = facts.kernel.isolated;
  const std::vector<int>& usable = facts.attempts.usable_isolated;
  Finding finding{"isolated-cores", "isolated cores", Severity::pass, cpu_list_text(isolated)};
  if (isolated.empty()) {
    finding.severity = Severity::warn;
    finding.meaning = "The kernel may put other work and its own housekeeping on every core.";
    finding.to_do =
        "Keep cores free with the kernel parameters `isolcpus=2-3 nohz_full=2-3 rcu_nocbs=2-3` (your "
        "numbers), and name them as the cores of the tasks.";
  } else if (usable.size() < isolated.size()) {
    finding.severity = Severity::warn;
    finding.found += ", of which this process may use " + cpu_list_text(usable);
    finding.meaning = "The cores that are kept free are of no use to this process.";
    finding.to_do = "Add them to the cpuset of the process or container.";
  } else if (!std::includes(facts.kernel.tickless.begin(), facts.kernel.tickless.end(), isolated.begin(),
                            isolated.end())) {
    finding.found += ", with a periodic tick";
    finding.meaning = "The tick takes a few microseconds, up to a thousand times a second.";
  }
  return finding;
}

Finding check_kernel(const MachineFacts& facts) {
  Finding finding{"kernel", "kernel", Severity::pass, facts.kernel.release + " with PREEMPT_RT"};
  if (facts.kernel.real_time) return finding;
  finding.severity = Severity::warn;
  finding.found = facts.kernel.release + " without PREEMPT_RT";
  finding.meaning = "Wake-ups are usually quick, but the kernel does not bound how late they can be.";
  finding.to_do =
      "On a machine without a GPU: a PREEMPT_RT kernel. With one, see whether the GPU's driver supports it; "
      "else measure the timers for long and under the load you expect.";
  return finding;
}

Finding check_virtual(const MachineFacts& facts) {
  Finding finding{"virtual-machine", "virtual machine", Severity::pass, "no sign of one"};
  const auto& host = facts.kernel.virtual_host;
  if (!host) return finding;
  finding.severity = Severity::warn;
  finding.found = host->empty() ? "yes" : fmt::format("yes ({})", *host);
  finding.meaning = "The host can take a core away at any time, and nothing in here can bound for how long.";
  finding.to_do =
      "For promises: bare metal, or a host that pins every virtual core to a core of its own. For "
      "experiments: count the measured lateness as `overheads: {release: ...}`.";
  return finding;
}

Finding check_frequency(const MachineFacts& facts) {
  const std::vector<std::string>& governors = facts.kernel.governors;
  Finding finding{"cpu-frequency", "CPU frequency", Severity::pass,
                  fmt::format("{}", fmt::join(governors, ", "))};
  if (governors.empty()) {
    finding.severity = Severity::info;
    finding.found = "not shown here";
  } else if (governors != std::vector<std::string>{"performance"}) {
    finding.severity = Severity::warn;
    finding.meaning = "The cores change their speed with the load: times measured hot do not hold cold.";
    finding.to_do = "`sudo cpupower frequency-set -g performance`";
  }
  return finding;
}

Finding check_threads(const MachineFacts& facts) {
  Finding finding{"core-threads", "threads a core", Severity::pass, "one"};
  if (!facts.kernel.several_threads_a_core) return finding;
  finding.severity = Severity::warn;
  finding.found = "several (SMT is on)";
  finding.meaning = "Work on a neighbouring thread of the same core slows a task down by an unknown factor.";
  finding.to_do = "`echo off | sudo tee /sys/devices/system/cpu/smt/control`, or leave the neighbours idle.";
  return finding;
}

Finding check_clock(const MachineFacts& facts) {
  const std::string& source = facts.kernel.clock_source;
  constexpr std::array<std::string_view, 4> slow{"hpet", "acpi_pm", "jiffies", "refined-jiffies"};
  Finding finding{"clock", "clock", Severity::pass, source};
  if (source.empty()) {
    finding.severity = Severity::info;
    finding.found = "not shown here";
  } else if (std::find(slow.begin(), slow.end(), source) != slow.end()) {
    finding.severity = Severity::warn;
    finding.meaning = "Reading this clock takes a microsecond or more, and Tactus reads it all the time.";
    finding.to_do =
        "See /sys/devices/system/clocksource/clocksource0/available_clocksource, and in the kernel's log why "
        "the processor's own counter was not trusted.";
  }
  return finding;
}

std::string lateness_text(const SampleSummary& lateness) {
  return fmt::format("late by {} (median), {} (p99), {} (max of {})",
                     rounded_text(lateness.median, Rounding::up), rounded_text(lateness.p99, Rounding::up),
                     rounded_text(lateness.max, Rounding::up), with_thousands(lateness.samples));
}

Finding check_wake_up(const TimerFacts& timers) {
  Finding finding{"timer-sleep", "wake-up", Severity::pass, lateness_text(timers.sleep)};
  if (timers.sleep.p99 <= good_wake_up) return finding;
  finding.severity = Severity::warn;
  finding.meaning = "Threads that sleep wake up late.";
  finding.to_do = fmt::format(
      "{}Shallow idle states help (`sudo cpupower idle-set -D 10`), and isolated cores. Tactus spins the "
      "last {} before a release.",
      timers.in_real_time_class ? "" : "First get the real-time class. ", to_text(usual_margin));
  return finding;
}

Finding check_release(const TimerFacts& timers) {
  const SampleSummary& late = timers.sleep_then_spin;
  Finding finding{"timer-release", "release", Severity::pass, lateness_text(late)};
  if (late.max <= good_release) return finding;
  const bool useless = late.p99 > useless_release;
  finding.severity = useless ? Severity::fail : Severity::warn;
  finding.meaning = useless ? "Jobs start late by more than most deadlines can bear."
                            : "Jobs can start this late. A bound that does not count it says too little.";
  finding.to_do = fmt::format(
      "Count it in the system file: `overheads: {{release: {}}}`. Less: the real-time class, isolated "
      "cores, fewer other programs; then measure again.",
      to_text(std::chrono::ceil<std::chrono::microseconds>(late.max)));
  return finding;
}

Finding check_cpu(const CpuFacts& cpu) {
  const device::Absences& taken = cpu.taken;
  Finding finding{"cpu-taken", "CPU taken away", Severity::pass,
                  fmt::format("never for {} or more in {}", to_text(device::min_absence),
                              to_text(std::chrono::floor<std::chrono::milliseconds>(cpu.watched)))};
  if (taken.times == 0) return finding;
  finding.found = fmt::format("{} {} for {} or more in {}, {} at the longest; by another thread at most {}",
                              with_thousands(taken.times), taken.times == 1 ? "time" : "times",
                              to_text(device::min_absence),
                              to_text(std::chrono::floor<std::chrono::milliseconds>(cpu.watched)),
                              rounded_text(taken.longest, Rounding::up), with_thousands(cpu.switches));
  if (taken.longest <= good_release) return finding;
  finding.severity = Severity::warn;
  finding.meaning =
      "Whatever is due meanwhile is late by as much: releases, and completions that nobody sees. What no "
      "other thread took went to interrupts, or to a hypervisor.";
  finding.to_do =
      taken.times > cpu.switches
          ? "In a virtual machine only its host can help: a core of its own for every virtual one. Else keep "
            "interrupts off the core (`irqaffinity=`, /proc/irq/*/smp_affinity)."
          : "The real-time class, isolated cores, fewer other programs; then look again.";
  return finding;
}

}  // namespace

std::vector<Finding> check_machine(const MachineFacts& facts) {
  std::vector<Finding> findings{check_class(facts),   check_throttling(facts), check_memory_lock(facts),
                                check_cores(facts),   check_isolated(facts),   check_kernel(facts),
                                check_virtual(facts), check_frequency(facts),  check_threads(facts),
                                check_clock(facts)};
  if (facts.timers) {
    findings.push_back(check_wake_up(*facts.timers));
    findings.push_back(check_release(*facts.timers));
    findings.push_back(check_cpu(facts.timers->cpu));
  } else {
    findings.push_back({"timer-sleep", "wake-up", Severity::info, "not measured"});
    findings.push_back({"timer-release", "release", Severity::info, "not measured"});
    findings.push_back({"cpu-taken", "CPU taken away", Severity::info, "not measured"});
  }
  return findings;
}

Severity worst(std::span<const Finding> findings) {
  Severity severity = Severity::pass;
  for (const Finding& finding : findings) severity = std::max(severity, finding.severity);
  return severity;
}

std::string_view to_string(Severity severity) {
  constexpr std::array<std::string_view, 4> names{"info", "pass", "warn", "fail"};
  return names.at(static_cast<std::size_t>(severity));
}

}  // namespace tactus::machine
