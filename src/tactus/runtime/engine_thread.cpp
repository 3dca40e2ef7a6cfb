#include "tactus/runtime/engine_thread.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tactus/base/text.hpp"
#include "tactus/base/threads.hpp"
#include "tactus/machine/real_time.hpp"

namespace tactus::runtime {

namespace {

/// A real-time thread that never sleeps exhausts the kernel's real-time share and is then throttled, for
/// longer than an ordinary thread would be preempted.
Refusal take_class_unless_throttled(const EngineNeeds& needs) {
  if (!needs.waits_busily || !needs.throttling) return take_real_time_class(machine::usual_priority);
  return fmt::format(
      "SCHED_FIFO: the engine waits busily, and the kernel would stop it for {} of every {} "
      "(kernel.sched_rt_runtime_us=-1 lifts that)",
      to_text(needs.throttling->period - needs.throttling->allowed), to_text(needs.throttling->period));
}

/// Other threads of the core then get some percent of it, rather than equal shares. Without a core of its own
/// the engine, which may never sleep, would take it from the threads that do its work.
Refusal take_class_or_larger_share(const EngineNeeds& needs, bool has_own_core) {
  Refusal refusal = take_class_unless_throttled(needs);
  if (refusal && has_own_core && !take_lowest_nice_value()) *refusal += "; it has nice value -20 instead";
  return refusal;
}

}  // namespace

EngineThread::EngineThread(EngineNeeds needs) : needs_{needs} {
  if (!needs_.core) return;
  std::vector<int> others = available_cpus();
  std::erase(others, *needs_.core);
  has_own_core_ = !others.empty() && !allow_cpus(others);
}

std::vector<std::string> EngineThread::take() {
  std::vector<std::string> refused;
  const auto note = [&refused](Refusal refusal) {
    if (refusal) refused.push_back(*std::move(refusal));
  };
  note(machine::lock_memory());
  if (needs_.core) {
    Refusal refusal = stay_on_core(*needs_.core);
    has_own_core_ = has_own_core_ && !refusal;
    note(std::move(refusal));
  }
  note(take_punctual_timers());
  note(take_class_or_larger_share(needs_, has_own_core_));
  return refused;
}

}  // namespace tactus::runtime
