#include "tactus/machine/machine.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <future>
#include <utility>

#include "tactus/base/error.hpp"
#include "tactus/base/threads.hpp"
#include "tactus/machine/system_text.hpp"

namespace tactus::machine {

namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) { return system_text(file).value_or(""); }

std::vector<std::string> governors_of(const fs::path& cpus_folder, const std::vector<int>& cpus) {
  std::vector<std::string> governors;
  for (const int cpu : cpus) {
    std::string governor =
        text_of(cpus_folder / ("cpu" + std::to_string(cpu)) / "cpufreq" / "scaling_governor");
    if (!governor.empty()) governors.push_back(std::move(governor));
  }
  std::sort(governors.begin(), governors.end());
  governors.erase(std::unique(governors.begin(), governors.end()), governors.end());
  return governors;
}

/// Virtual machines are shown by a CPU flag; some hypervisors also provide a file.
std::optional<std::string> virtual_host_of(const fs::path& root) {
  const std::string processors = text_of(root / "proc/cpuinfo");
  const std::optional<std::string> type = system_text(root / "sys/hypervisor/type");
  const std::optional<std::string> compatible = system_text(root / "proc/device-tree/hypervisor/compatible");
  if (processors.find(" hypervisor") == std::string::npos && !type && !compatible) return std::nullopt;
  const std::string vendor = text_of(root / "sys/class/dmi/id/sys_vendor");
  if (!vendor.empty()) return vendor;
  return type ? *type : "";
}

/// Locks a page of its own, so that the unlock does not affect memory locked by others.
Refusal try_memory_lock() {
  const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* page = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return "memory: " + error_text(errno);
  Refusal refusal;
  if (::mlock(page, size) != 0) refusal = "memory lock: " + error_text(errno);
  ::munmap(page, size);
  return refusal;
}

using Wait = void (*)(SteadyTime);

SampleSummary measure(Wait wait, const TimerQuestion& question, const Watch& watch, int before, int total) {
  constexpr int progress_every = 50;
  std::vector<Duration> late(static_cast<std::size_t>(std::max(question.samples, 0)));
  int done = 0;
  for (Duration& lateness : late) {
    const SteadyTime instant = steady_now() + question.interval;
    wait(instant);
    lateness = steady_now() - instant;
    if (++done % progress_every == 0) watch.show(static_cast<double>(before + done) / total);
  }
  return summary_of(std::move(late));
}

std::uint64_t involuntary_switches() {
  rusage usage{};
  return ::getrusage(RUSAGE_THREAD, &usage) == 0 ? static_cast<std::uint64_t>(usage.ru_nivcsw) : 0;
}

CpuFacts watch_cpu(Duration length) {
  const std::uint64_t before = involuntary_switches();
  device::AbsenceWatch watch;
  const SteadyTime begin = steady_now();
  while (watch.look(time_at(steady_now() - begin)) < time_at(length)) relax();
  return {steady_now() - begin, watch.seen(), involuntary_switches() - before};
}

}  // namespace

std::optional<KernelFacts::Throttling> read_throttling(const fs::path& root) {
  const auto runtime = whole_number(text_of(root / "proc/sys/kernel/sched_rt_runtime_us"));
  const auto period = whole_number(text_of(root / "proc/sys/kernel/sched_rt_period_us"));
  if (!runtime || !period || *runtime < 0 || *runtime >= *period) return std::nullopt;
  return KernelFacts::Throttling{std::chrono::microseconds{*runtime}, std::chrono::microseconds{*period}};
}

KernelFacts read_kernel_facts(const fs::path& root) {
  const fs::path cpus = root / "sys/devices/system/cpu";
  KernelFacts facts;
  facts.release = text_of(root / "proc/sys/kernel/osrelease");
  facts.real_time = text_of(root / "sys/kernel/realtime") == "1" ||
                    text_of(root / "proc/sys/kernel/version").find("PREEMPT_RT") != std::string::npos;
  facts.virtual_host = virtual_host_of(root);
  facts.cpus = cpu_list(text_of(cpus / "online"));
  facts.isolated = cpu_list(text_of(cpus / "isolated"));
  facts.tickless = cpu_list(text_of(cpus / "nohz_full"));
  facts.several_threads_a_core = text_of(cpus / "smt/active") == "1";
  facts.governors = governors_of(cpus, facts.cpus);
  facts.clock_source = text_of(root / "sys/devices/system/clocksource/clocksource0/current_clocksource");
  facts.throttling = read_throttling(root);
  return facts;
}

namespace {

/// Runs `work` in a thread of its own; rethrows its exception here.
void in_own_thread(const std::function<void()>& work) {
  std::packaged_task<void()> task{work};
  std::future<void> done = task.get_future();
  start_thread(std::move(task)).join();
  done.get();
}

}  // namespace

Attempts try_real_time(const std::vector<int>& isolated) {
  Attempts attempts;
  attempts.memory_lock = try_memory_lock();
  attempts.usable_cpus = static_cast<int>(available_cpus().size());
  // The class and the core are settings of this thread and end with it.
  in_own_thread([&] {
    for (const int core : isolated) {
      if (!stay_on_core(core)) attempts.usable_isolated.push_back(core);
    }
    attempts.real_time_class = take_real_time_class(usual_priority);
  });
  return attempts;
}

TimerFacts measure_timers(const TimerQuestion& question, const Watch& watch) {
  TimerFacts facts;
  const int total = 2 * question.samples;
  in_own_thread([&] {
    take_punctual_timers();
    facts.in_real_time_class = !take_real_time_class(usual_priority);
    facts.sleep = measure(&sleep_until, question, watch, 0, total);
    const Wait wait_as_for_a_release = [](SteadyTime instant) { wait_until(instant); };
    facts.sleep_then_spin = measure(wait_as_for_a_release, question, watch, question.samples, total);
    facts.cpu = watch_cpu(question.watch);
  });
  return facts;
}

}  // namespace tactus::machine
