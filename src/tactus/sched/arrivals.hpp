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

/// Job `number` of a task with its nominal release.
struct Release {
  Time nominal{};
  TaskIndex task = 0;
  std::uint64_t number = 0;
};

/// Some jobs of a task, equally far apart.
struct Releases {
  Release first;
  Release last;
  std::uint64_t jobs = 1;
  Duration separation{};

  /// How many of them are to be done by then.
  [[nodiscard]] std::uint64_t jobs_before(Time by, Duration deadline) const;
};

/// The next release of every task, earliest first, in file order at one instant. Only releases before `end`
/// happen.
class Arrivals {
 public:
  Arrivals(const System& system, const Draws& draws, Time end);

  /// When the earliest release is; `never` when there are none left.
  [[nodiscard]] Time next() const { return heap_.empty() ? never : heap_.front().nominal; }

  /// The earliest release; the task's next one takes its place. Best-effort tasks and `once` have no next.
  Release take();

  /// The releases of such tasks are no longer taken; answers the next one of each.
  template <class Unwanted>
  std::vector<Release> remove_if(Unwanted&& unwanted) {
    const auto kept = std::partition(heap_.begin(), heap_.end(),
                                     [&](const Release& release) { return !unwanted(release.task); });
    std::vector<Release> removed{kept, heap_.end()};
    heap_.erase(kept, heap_.end());
    restore_heap();
    return removed;
  }

  /// The release after a given one; nothing when it does not happen before the end.
  [[nodiscard]] std::optional<Release> after(const Release& release) const;

  /// As many releases from this one on as are known without a step for each: of a periodic task all up to and
  /// including the instant, else this one alone.
  [[nodiscard]] Releases alike_until(const Release& release, Time until) const;

 private:
  [[nodiscard]] std::optional<Release> scripted_after(const Task& task, const Release& release) const;
  void restore_heap();
  void replace_first(const Release& entry);

  const System& system_;
  const Draws& draws_;
  std::vector<Duration> fixed_separation_;  // by task: of periodic ones; else 0
  Time end_;
  std::vector<Release> heap_;
};

}  // namespace tactus::sched
