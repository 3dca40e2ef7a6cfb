// Values that go up and down by steps, told in the order of time although the steps are not.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tactus/base/time.hpp"

namespace tactus::trace {

/// What a block frees is known when it starts, when a job started only when it ends: steps are kept back
/// until there are `window` of them at different instants, and then the older half is told. Samples never go
/// back in time, and of one instant there is one; a step that comes later than its half counts from there on.
/// Memory does not grow with the length of the schedule.
class StepCounter {
 public:
  /// One value for each series, at the start.
  StepCounter(std::vector<std::int64_t> values, std::size_t window)
      : values_{std::move(values)}, window_{std::max<std::size_t>(window, 2)} {}

  [[nodiscard]] std::size_t series() const { return values_.size(); }

  /// `tell(time, values)` gets what is certain by now.
  template <class Tell>
  void add(std::size_t series, Time time, std::int64_t difference, const Tell& tell) {
    steps_.push_back({std::max(time, told_), static_cast<std::uint32_t>(series), difference});
    if (steps_.size() < window_ + sorted_) return;
    settle();
    if (steps_.size() >= window_) tell_until(steps_[steps_.size() - window_ / 2].time, tell);
    sorted_ = steps_.size();
  }

  /// The rest of it up to `end`, which belongs to it.
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

  // By time, and of one instant and series one step.
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
      // A later step may come for this very instant no more.
      told_ = saturating_add(now, nanoseconds(1));
    }
    steps_.erase(steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(next));
  }

  std::vector<std::int64_t> values_;
  std::size_t window_;
  std::size_t sorted_ = 0;  // steps that were there after the last look
  std::vector<Step> steps_;
  Time told_{};
};

}  // namespace tactus::trace
