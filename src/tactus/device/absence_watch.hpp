// Notices that the thread that waits was not running.
//
// A thread that does nothing but look around and read the clock sees the machine's part in lateness: where
// two looks lie far apart, somebody else had its CPU. Inside other work, a call of CUDA say, nobody can tell.
#pragma once

#include <chrono>

#include "tactus/base/time.hpp"
#include "tactus/device/absences.hpp"
#include "tactus/trace/fanout.hpp"

namespace tactus::device {

/// From how long on it counts: longer than a look around takes, and than an interrupt that does nothing.
inline constexpr Duration min_absence = std::chrono::microseconds{20};

class AbsenceWatch {
 public:
  /// Tells what it sees; may be null.
  explicit AbsenceWatch(const trace::Fanout* trace = nullptr) : trace_{trace} {}

  /// What follows is no look around: a sleep, or work.
  void pause() { last_ = never; }
  /// A look at the clock. Answers what it was given.
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
  }

  const trace::Fanout* trace_;
  Time last_ = never;  // `never`: there was none since the last pause
  Absences seen_;
};

}  // namespace tactus::device
