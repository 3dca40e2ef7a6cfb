// Facts about this machine that decide whether a program can act on time. They are looked up and tried out,
// and nothing is changed lastingly: what is tried happens in a thread that is gone afterwards.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tactus/base/watch.hpp"
#include "tactus/device/absence_watch.hpp"
#include "tactus/machine/permissions.hpp"
#include "tactus/machine/real_time.hpp"
#include "tactus/machine/timer_lateness.hpp"

namespace tactus::machine {

/// What the kernel says about itself and its processors.
struct KernelFacts {
  std::string release;                      // "6.1.0-18-amd64"
  bool real_time = false;                   // PREEMPT_RT
  std::optional<std::string> virtual_host;  // in a virtual machine: what is known of it, may be empty
  std::vector<int> cpus;                    // online
  std::vector<int> isolated;                // kept free of ordinary work (isolcpus)
  std::vector<int> tickless;                // without a periodic tick (nohz_full)
  bool several_threads_a_core = false;      // SMT is on
  std::vector<std::string> governors;       // of the CPU frequency, each once, sorted; empty when not shown
  std::string clock_source;                 // "tsc"; empty when not shown
  /// Real-time threads may run for `allowed` of every `period`; none: for ever.
  struct Throttling {
    Duration allowed{};
    Duration period{};
    friend bool operator==(const Throttling&, const Throttling&) = default;
  };
  std::optional<Throttling> throttling;

  friend bool operator==(const KernelFacts&, const KernelFacts&) = default;
};

/// Of the machine whose files lie under `root`.
std::optional<KernelFacts::Throttling> read_throttling(const std::filesystem::path& root = "/");

/// What happened when it was tried.
struct Attempts {
  Refusal real_time_class;           // at `usual_priority`
  Refusal memory_lock;               // of one page
  std::vector<int> usable_isolated;  // isolated cores on which a thread of this process may run
  int usable_cpus = 0;               // cores this process may use without asking

  friend bool operator==(const Attempts&, const Attempts&) = default;
};

/// What a thread saw that kept its CPU busy for a while.
struct CpuFacts {
  Duration watched{};
  device::Absences taken;      // the CPU did something else
  std::uint64_t switches = 0;  // as often the kernel says that it gave the CPU to another thread

  friend bool operator==(const CpuFacts&, const CpuFacts&) = default;
};

struct TimerFacts {
  TimerLateness sleep;            // sleeps to the instant
  TimerLateness sleep_then_spin;  // as the runtime waits for a release
  bool in_real_time_class = false;
  CpuFacts cpu;
};

struct MachineFacts {
  KernelFacts kernel;
  Permissions permissions;
  Attempts attempts;
  std::optional<TimerFacts> timers;  // none: not measured
};

/// Reads `root`/proc and `root`/sys. What is missing there keeps its default.
KernelFacts read_kernel_facts(const std::filesystem::path& root = "/");

/// Tries it, in threads of their own.
Attempts try_real_time(const std::vector<int>& isolated);

/// Measures as the runtime's threads would wait: in the real-time class where that is granted.
TimerFacts measure_timers(const TimerQuestion& question, const Watch& watch = {});

}  // namespace tactus::machine
