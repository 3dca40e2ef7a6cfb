// Detects that the waiting thread was not running.
//
// A thread that does nothing but poll and read the clock can see delays of the machine: if two reads lie far
// apart, the CPU did something else in between. During other work, such as a call of CUDA, this cannot be
// detected.
#pragma once

#include <chrono>

#include "tactus/base/time.hpp"
#include "tactus/device/absences.hpp"
#include "tactus/device/assumptions.hpp"
#include "tactus/trace/fanout.hpp"

namespace tactus::device {

/// The shortest gap that counts: longer than one poll and than a short interrupt.
inline constexpr Duration min_absence = std::chrono::microseconds{20};

class AbsenceWatch {
 public:
  /// `trace` and `assumptions` get every absence; both may be null.
  explicit AbsenceWatch(const trace::Fanout* trace = nullptr, AssumptionWatch* assumptions = nullptr)
      : trace_{trace}, assumptions_{assumptions} {}

  /// The thread is about to sleep or work: the next gap does not count.
  void pause() { last_ = never; }
  /// To be called at every read of the clock. Returns `now`.
  Time look(Time now) {
    if (last_ != never && now - last_ >= min_absence) note(now);
    last_ = now;
    return now;
  }

  [[nodiscard]] const Absences& seen() const { return seen_; }

 private:
  void note(Time now) {
    const Duration length = now - last_;
    seen_ = seen_ + Absences{1, length, length};
    if (trace_ != nullptr) trace_->tell(trace::EngineAway{last_, now});
    if (assumptions_ != nullptr) assumptions_->was_away(last_, length);
  }

  const trace::Fanout* trace_;
  AssumptionWatch* assumptions_;
  Time last_ = never;  // `never`: no read since the last pause
  Absences seen_;
};

}  // namespace tactus::device
