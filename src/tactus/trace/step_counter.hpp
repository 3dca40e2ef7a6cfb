// Turns steps of counters that arrive out of order into samples in the order of time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tactus/base/time.hpp"

namespace tactus::trace {

/// The end of a block is known at its start, the start of a job only at its end. So steps are held back
/// until there are `window` of them at different instants; then the older half is written. Samples never go
/// back in time, one for each instant; a step that arrives too late counts from the last sample on.
/// Memory does not grow with the length of the schedule.
class StepCounter {
 public:
  /// One value for each series, at the start.
  StepCounter(std::vector<std::int64_t> values, std::size_t window)
      : values_{std::move(values)}, window_{std::max<std::size_t>(window, 2)} {}

  [[nodiscard]] std::size_t series() const { return values_.size(); }

  /// Calls `tell(time, values)` for the samples that are final.
  template <class Tell>
  void add(std::size_t series, Time time, std::int64_t difference, const Tell& tell) {
    steps_.push_back({std::max(time, told_), static_cast<std::uint32_t>(series), difference});
    if (steps_.size() < window_ + sorted_) return;
    settle();
    if (steps_.size() >= window_) tell_until(steps_[steps_.size() - window_ / 2].time, tell);
    sorted_ = steps_.size();
  }

  /// Writes the rest up to and including `end`.
  template <class Tell>
  void finish(Time end, const Tell& tell) {
    settle();
    tell_until(saturating_add(end, nanoseconds(1)), tell);
  }

 private:
  struct Step {
    Time time{};
    std::uint32_t series = 0;
    std::int64_t difference = 0;
  };

  // Sorts by time and merges the steps of one instant and series.
  void settle() {
    std::ranges::sort(steps_, [](const Step& a, const Step& b) {
      return a.time < b.time || (a.time == b.time && a.series < b.series);
    });
    std::size_t kept = 0;
    for (const Step step : steps_) {
      if (kept > 0 && steps_[kept - 1].time == step.time && steps_[kept - 1].series == step.series) {
        steps_[kept - 1].difference += step.difference;
      } else {
        steps_[kept++] = step;
      }
    }
    steps_.resize(kept);
  }

  template <class Tell>
  void tell_until(Time end, const Tell& tell) {
    std::size_t next = 0;
    while (next < steps_.size() && steps_[next].time < end) {
      const Time now = steps_[next].time;
      bool changed = false;
      for (; next < steps_.size() && steps_[next].time == now; ++next) {
        values_[steps_[next].series] += steps_[next].difference;
        changed = changed || steps_[next].difference != 0;
      }
      if (changed) tell(now, std::span<const std::int64_t>{values_});
      // No later step can change this instant.
      told_ = saturating_add(now, nanoseconds(1));
    }
    steps_.erase(steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(next));
  }

  std::vector<std::int64_t> values_;
  std::size_t window_;
  std::size_t sorted_ = 0;  // steps left after the last call of `settle`
  std::vector<Step> steps_;
  Time told_{};
};

}  // namespace tactus::trace
