// Keeps the engine idle shortly before a release.
//
// When a best-effort job ends, the next one is launched, which would delay a release that falls due meanwhile
// by several microseconds. So the event of its end is held back until the release has been handled. Nothing
// is held back while a job with a deadline is in progress, since it might wait for that event.
#pragma once

#include <cstddef>

#include "tactus/base/time.hpp"
#include "tactus/base/touch.hpp"
#include "tactus/sched/event.hpp"

namespace tactus::runtime {

class ReleaseGuard {
 public:
  /// Events are held back when the next release is closer than `span`; 0: never.
  explicit ReleaseGuard(Duration span) : span_{span} {}
  void reserve(std::size_t events) { held_.reserve(events); }
  void touch() { tactus::touch(held_); }

  [[nodiscard]] bool holds() const { return !held_.empty(); }

  /// Whether to stay idle for a release at `next`. The total time is limited, for releases that follow each
  /// other closely.
  [[nodiscard]] bool is_near(Time next, Time now) const {
    if (span_ == Duration{} || next == never || next - now >= span_) return false;
    return !holds() || now - since_ < max_spans * span_;
  }

  /// Moves the events that can wait out of `events`.
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

  /// Replaces `events` by those held back.
  void give_back(sched::Events& events) {
    events.assign(held_.begin(), held_.end());
    held_.clear();
  }

 private:
  static constexpr int max_spans = 5;

  Duration span_;
  sched::Events held_;
  Time since_{};  // when the first of them was held back
};

}  // namespace tactus::runtime
