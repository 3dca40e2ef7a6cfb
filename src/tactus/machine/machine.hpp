// Facts about this machine that decide whether a program can run on time. Some are found by trying, in a
// temporary thread, so that nothing is changed permanently.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tactus/base/sample_summary.hpp"
#include "tactus/base/watch.hpp"
#include "tactus/device/absence_watch.hpp"
#include "tactus/machine/permissions.hpp"
#include "tactus/machine/real_time.hpp"

namespace tactus::machine {

/// What the kernel reports about itself and its processors.
struct KernelFacts {
  std::string release;                      // "6.1.0-18-amd64"
  bool real_time = false;                   // PREEMPT_RT
  std::optional<std::string> virtual_host;  // in a virtual machine: its hypervisor if known, may be empty
  std::vector<int> cpus;                    // online
  std::vector<int> isolated;                // excluded from ordinary scheduling (isolcpus)
  std::vector<int> tickless;                // without a periodic tick (nohz_full)
  bool several_threads_a_core = false;      // SMT is on
  std::vector<std::string> governors;       // of the CPU frequency, unique, sorted; empty when not available
  std::string clock_source;                 // "tsc"; empty when not available
  /// Real-time threads may run for `allowed` in every `period`; none: without limit.
  struct Throttling {
    Duration allowed{};
    Duration period{};
    friend bool operator==(const Throttling&, const Throttling&) = default;
  };
  std::optional<Throttling> throttling;

  friend bool operator==(const KernelFacts&, const KernelFacts&) = default;
};

/// For the machine whose files are under `root`.
std::optional<KernelFacts::Throttling> read_throttling(const std::filesystem::path& root = "/");

/// The results of trying.
struct Attempts {
  Refusal real_time_class;           // at `usual_priority`
  Refusal memory_lock;               // of one page
  std::vector<int> usable_isolated;  // isolated cores on which a thread of this process may run
  int usable_cpus = 0;               // cores in the affinity mask of this process

  friend bool operator==(const Attempts&, const Attempts&) = default;
};

/// What a thread observed that spun on a CPU for a while.
struct CpuFacts {
  Duration watched{};
  device::Absences taken;      // when the CPU did something else
  std::uint64_t switches = 0;  // involuntary context switches, as counted by the kernel

  friend bool operator==(const CpuFacts&, const CpuFacts&) = default;
};

struct TimerQuestion {
  int samples = 1000;
  Duration interval = std::chrono::microseconds{500};
  Duration watch = std::chrono::milliseconds{500};  // how long to watch for the CPU being taken away
};

/// How late wake-ups are.
struct TimerFacts {
  SampleSummary sleep;            // sleeps until the instant
  SampleSummary sleep_then_spin;  // as the runtime waits for a release
  bool in_real_time_class = false;
  CpuFacts cpu;
};

struct MachineFacts {
  KernelFacts kernel;
  Permissions permissions;
  Attempts attempts;
  std::optional<TimerFacts> timers;  // none: not measured
};

/// Reads `root`/proc and `root`/sys. Missing values keep their defaults.
KernelFacts read_kernel_facts(const std::filesystem::path& root = "/");

/// Tries it, in temporary threads.
Attempts try_real_time(const std::vector<int>& isolated);

/// Measures with the settings of the runtime's threads: in the real-time class where permitted.
TimerFacts measure_timers(const TimerQuestion& question, const Watch& watch = {});

}  // namespace tactus::machine
