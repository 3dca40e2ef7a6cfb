// When jobs arrive: the calendar of releases, and the delay until the scheduler sees them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/model/system.hpp"
#include "tactus/sched/draws.hpp"

namespace tactus::sched {

/// Job `number` of a task and its nominal release.
struct Release {
  Time nominal{};
  TaskIndex task = 0;
  std::uint64_t number = 0;
};

/// Several jobs of one task, released at equal distances.
struct Releases {
  Release first;
  Release last;
  std::uint64_t jobs = 1;
  Duration separation{};

  /// How many of these jobs have their deadline at or before `by`.
  [[nodiscard]] std::uint64_t jobs_before(Time by, Duration deadline) const;
};

/// The next release of every task: earliest first, ties in file order. Releases at or after `end` do not
/// happen.
class Arrivals {
 public:
  Arrivals(const System& system, const Draws& draws, Time end);

  /// The instant of the earliest release; `never` when none is left.
  [[nodiscard]] Time next() const { return heap_.empty() ? never : heap_.front().nominal; }

  /// Removes and returns the earliest release, and enters the next one of its task. Best-effort tasks and
  /// tasks released `once` have no next one.
  Release take();

  /// Removes the tasks for which the predicate holds; returns the next release of each.
  template <class Unwanted>
  std::vector<Release> remove_if(Unwanted&& unwanted) {
    const auto kept = std::partition(heap_.begin(), heap_.end(),
                                     [&](const Release& release) { return !unwanted(release.task); });
    std::vector<Release> removed{kept, heap_.end()};
    heap_.erase(kept, heap_.end());
    restore_heap();
    return removed;
  }

  /// The release after a given one; nothing when it would not happen before the end.
  [[nodiscard]] std::optional<Release> after(const Release& release) const;

  /// A run of releases that can be computed without drawing each of them: for a periodic task all releases
  /// from this one up to and including `until`; otherwise this one alone.
  [[nodiscard]] Releases alike_until(const Release& release, Time until) const;

 private:
  [[nodiscard]] std::optional<Release> scripted_after(const Task& task, const Release& release) const;
  void restore_heap();
  void replace_first(const Release& entry);

  const System& system_;
  const Draws& draws_;
  std::vector<Duration> fixed_separation_;  // by task; 0 for tasks that are not periodic
  Time end_;
  std::vector<Release> heap_;
};

}  // namespace tactus::sched
