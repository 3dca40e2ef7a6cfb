// Jobs that the device releases itself: which were released, and which are over.
//
// The device tells of a job when it is over. Until then the job is known by the clock alone: its release is
// offset + number * period.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tactus/base/exact.hpp"
#include "tactus/base/time.hpp"
#include "tactus/model/dispatch.hpp"
#include "tactus/model/system.hpp"
#include "tactus/sched/arrivals.hpp"

namespace tactus::runtime {

class ResidentJobs {
 public:
  ResidentJobs() = default;
  ResidentJobs(const System& system, Time horizon) : horizon_{horizon}, index_(system.tasks.size(), none) {
    for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
      if (!is_resident(system, system.tasks[task])) continue;
      index_[task] = tasks_.size();
      all_.push_back(task);
      tasks_.push_back({.task = task,
                        .offset = system.tasks[task].offset,
                        .period = system.tasks[task].period.value_or(Duration{})});
    }
  }

  [[nodiscard]] bool any() const noexcept { return !tasks_.empty(); }
  [[nodiscard]] bool has(TaskIndex task) const noexcept { return !tasks_.empty() && index_[task] != none; }
  [[nodiscard]] std::span<const TaskIndex> all() const noexcept { return all_; }

  /// When the next job is released that `take_released` has not told.
  [[nodiscard]] Time next() const noexcept {
    Time next = never;
    for (const OfTask& one : tasks_) next = std::min(next, release_of(one, one.released));
    return next < horizon_ ? next : never;
  }
  /// A job released at `until` or before, each once; a task's own in order.
  std::optional<sched::Release> take_released(Time until) noexcept {
    for (OfTask& one : tasks_) {
      const Time release = release_of(one, one.released);
      if (release > until || release >= horizon_) continue;
      return sched::Release{.nominal = release, .task = one.task, .number = one.released++};
    }
    return std::nullopt;
  }
  /// The oldest job of the task that is not over, if it has been released.
  [[nodiscard]] std::optional<sched::Release> oldest(TaskIndex task) const noexcept {
    const OfTask& one = tasks_[index_[task]];
    if (one.over >= one.released) return std::nullopt;
    return sched::Release{.nominal = release_of(one, one.over), .task = task, .number = one.over};
  }
  /// The oldest job of the task is over, as was heard now.
  void note_over(TaskIndex task, Time now) noexcept {
    OfTask& one = tasks_[index_[task]];
    ++one.over;
    one.heard = now;
  }
  /// ... and ended at this instant. Returns from when on it could run: its release, or the end before it.
  Time note_end(TaskIndex task, Time end) noexcept {
    OfTask& one = tasks_[index_[task]];
    const Time ready = std::max(release_of(one, one.over - 1), one.ended);
    one.ended = end;
    return ready;
  }
  [[nodiscard]] Time heard(TaskIndex task) const noexcept { return tasks_[index_[task]].heard; }
  /// Whether a job of this number is still to come, and is released before the horizon.
  [[nodiscard]] bool awaits(TaskIndex task, std::uint64_t number) const noexcept {
    const OfTask& one = tasks_[index_[task]];
    return number >= one.over && release_of(one, number) < horizon_;
  }

 private:
  static constexpr std::size_t none = ~std::size_t{0};
  struct OfTask {
    TaskIndex task = 0;
    Duration offset{};
    Duration period{};
    std::uint64_t released = 0;  // jobs told as released
    std::uint64_t over = 0;      // jobs told as over
    Time heard{};                // the last time
    Time ended = origin;         // the last job of which that is known
  };
  static Time release_of(const OfTask& one, std::uint64_t number) noexcept {
    const Int128 at = Int128{in_ns(one.offset)} + Int128{in_ns(one.period)} * number;
    return at >= in_ns(never) ? never : time_at(nanoseconds(static_cast<std::int64_t>(at)));
  }

  std::vector<OfTask> tasks_;
  std::vector<TaskIndex> all_;
  Time horizon_ = never;
  std::vector<std::size_t> index_;  // into `tasks_`, by task
};

}  // namespace tactus::runtime
