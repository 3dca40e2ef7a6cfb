// Sporadic tasks that other threads release: their calls, and the places for which they wait.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/model/system.hpp"
#include "tactus/runtime/free_places.hpp"
#include "tactus/runtime/release_calls.hpp"
#include "tactus/sched/arrivals.hpp"

namespace tactus::runtime {

class Callers {
 public:
  /// `by_call`: sporadic tasks are released by calls only. Otherwise there are no callers.
  Callers(const System& system, bool by_call) : calls_(system.tasks.size()), places_(system.tasks.size()) {
    for (TaskIndex task = 0; task < system.tasks.size() && by_call; ++task) {
      const Task& description = system.tasks[task];
      if (description.arrival != Arrival::sporadic) continue;
      calls_[task] = std::make_unique<ReleaseCalls>(*description.period);
      any_ = true;
      if (description.on_full != OnFull::block) continue;
      places_[task] = std::make_unique<FreePlaces>(static_cast<std::uint32_t>(*description.max_jobs));
    }
  }

  [[nodiscard]] bool any() const noexcept { return any_; }
  [[nodiscard]] bool has(TaskIndex task) const noexcept { return calls_[task] != nullptr; }

  // Any thread, concurrently.

  /// Whether callers of this task wait for places.
  [[nodiscard]] bool waits(TaskIndex task) const noexcept { return places_[task] != nullptr; }
  /// A place for a job, before it is asked for. False when there is none, or after `close_places`.
  bool take_place(TaskIndex task, bool may_wait) noexcept {
    return !waits(task) || places_[task]->take(may_wait);
  }
  void give_back_place(TaskIndex task) noexcept {
    if (waits(task)) places_[task]->give_back();
  }
  /// A job of the task, to be released now. False when it cannot be (release_calls.hpp).
  bool ask(TaskIndex task, Time now) noexcept { return has(task) && calls_[task]->ask(now); }

  // The engine's thread.

  /// Calls `release(job)` for what was asked for, as long as `has_room()`.
  template <class HasRoom, class Release>
  void take(HasRoom&& has_room, Release&& release) {
    for (TaskIndex task = 0; task < calls_.size(); ++task) {
      if (!has(task)) continue;
      while (has_room()) {
        const std::uint64_t number = calls_[task]->taken();
        const std::optional<Time> instant = calls_[task]->take();
        if (!instant) break;
        release(sched::Release{.nominal = *instant, .task = task, .number = number});
      }
    }
  }
  /// Nobody waits any more.
  void close_places() noexcept {
    for (const std::unique_ptr<FreePlaces>& places : places_) {
      if (places != nullptr) places->close();
    }
  }
  /// Every later call fails. Earlier ones can still be taken.
  void close() noexcept {
    for (const std::unique_ptr<ReleaseCalls>& calls : calls_) {
      if (calls != nullptr) calls->close();
    }
  }

 private:
  std::vector<std::unique_ptr<ReleaseCalls>> calls_;  // by task; null: not released by call
  std::vector<std::unique_ptr<FreePlaces>> places_;   // by task; null: its callers do not wait
  bool any_ = false;
};

}  // namespace tactus::runtime
