// Shortly before a release the engine begins nothing that takes long.
//
// When a best-effort job ends the next one starts: a launch, which makes a release that is due meanwhile late
// by several microseconds. So the end of such a job waits until the release has been handled. Nobody else
// waits for it: with a job in progress that has a deadline nothing is held back.
#pragma once

#include <cstddef>

#include "tactus/base/time.hpp"
#include "tactus/base/touch.hpp"
#include "tactus/sched/event.hpp"

namespace tactus::runtime {

class ReleaseGuard {
 public:
  /// Events wait when a release is nearer than `span`; 0: none waits.
  explicit ReleaseGuard(Duration span) : span_{span} {}
  void reserve(std::size_t events) { held_.reserve(events); }
  void touch() { tactus::touch(held_); }

  [[nodiscard]] bool holds() const { return !held_.empty(); }

  /// Whether the engine should be idle for a release at `next`. What waits does not wait for ever where one
  /// release comes right behind the other.
  [[nodiscard]] bool is_near(Time next, Time now) const {
    if (span_ == Duration{} || next == never || next - now >= span_) return false;
    return !holds() || now - since_ < max_spans * span_;
  }

  /// Takes out of `events` what can wait.
  template <class CanWait>
  void hold_back(sched::Events& events, Time now, CanWait&& can_wait) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (can_wait(events[i])) {
        if (held_.empty()) since_ = now;
        held_.push_back(events[i]);
      } else {
        events[kept++] = events[i];
      }
    }
    events.resize(kept);
  }

  /// `events` becomes what has waited.
  void give_back(sched::Events& events) {
    events.assign(held_.begin(), held_.end());
    held_.clear();
  }

 private:
  static constexpr int max_spans = 5;

  Duration span_;
  sched::Events held_;
  Time since_{};  // the first of them waits since
};

}  // namespace tactus::runtime
