// The times that a run assumes, and what was seen of them.
//
// A proof holds as long as its assumptions do: segments take at most what is declared, bound functions return
// in time, and the engine's thread has its CPU. A run measures all of these, and keeps the assumption that
// was broken first: later ones, and bounds that are exceeded, may follow from it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/model/system.hpp"
#include "tactus/trace/event.hpp"

namespace tactus::device {

struct TimesSeen {
  std::uint64_t count = 0;
  Duration total{};
  Duration longest{};

  void add(Duration time) noexcept {
    ++count;
    total += time;
    if (time > longest) longest = time;
  }
  [[nodiscard]] Duration mean() const {
    return count == 0 ? Duration{} : total / static_cast<std::int64_t>(count);
  }
  friend bool operator==(const TimesSeen&, const TimesSeen&) = default;
};

enum class Assumption : std::uint8_t {
  call,     // a bound function returns within `enqueue`, or `overheads.engine.submit`
  segment,  // a segment takes at most its worst case and the machine's delays
  engine,   // the engine's thread has its CPU, but for `overheads.release`
};
inline constexpr std::size_t assumption_kinds = 3;

struct BrokenAssumption {
  Assumption what = Assumption::call;
  Time at{};             // when the time that is assumed was over
  trace::JobName job{};  // of a call or segment
  std::uint32_t segment = 0;
  Duration seen{};
  Duration assumed{};
  friend bool operator==(const BrokenAssumption&, const BrokenAssumption&) = default;
};

/// "at 40.1ms task 'network', job 1, segment 0: its function took 1.9ms, declared are 5us".
std::string to_text(const System& system, const BrokenAssumption& broken);

/// What was seen of a segment, and what is assumed of it; nothing where the system does not say it.
struct SegmentTimes {
  /// Of its bound function, by the engine's thread or a launcher; or of a launch of its graph.
  TimesSeen calls;
  /// Of submissions that no other work can have delayed: from their submission, with their launch, until the
  /// end was known; of resident jobs from their release, or the end of the job before.
  TimesSeen runs;
  std::optional<Duration> assumed_call;
  std::optional<Duration> assumed_run;
};

struct AssumptionsSeen {
  std::vector<std::vector<SegmentTimes>> segments;  // by task
  std::optional<BrokenAssumption> first;
  std::array<std::uint64_t, assumption_kinds> broken{};  // how often, by kind
};

/// Used by the engine's thread only. Allocates when it is made.
class AssumptionWatch {
 public:
  explicit AssumptionWatch(const System& system);

  /// A call that began at `begin` took this long.
  void called(const trace::JobName& job, std::uint32_t segment, Time begin, Duration time) noexcept {
    SegmentTimes& known = seen_.segments[job.task][segment];
    known.calls.add(time);
    judge({Assumption::call, begin, job, segment, time}, known.assumed_call);
  }
  /// A submission had its server for itself from `begin` on, for this long.
  void ran(const trace::JobName& job, std::uint32_t segment, Time begin, Duration time) noexcept {
    SegmentTimes& known = seen_.segments[job.task][segment];
    known.runs.add(time);
    judge({Assumption::segment, begin, job, segment, time}, known.assumed_run);
  }
  /// The engine's thread did not run, from `begin` on, for this long.
  void was_away(Time begin, Duration time) noexcept {
    judge({Assumption::engine, begin, {}, 0, time}, assumed_absence_);
  }

  [[nodiscard]] const AssumptionsSeen& seen() const { return seen_; }

 private:
  /// `found.at` is the beginning here.
  void judge(BrokenAssumption found, const std::optional<Duration>& assumed) noexcept {
    if (!assumed || found.seen <= *assumed) return;
    ++seen_.broken[static_cast<std::size_t>(found.what)];
    found.at += *assumed;
    found.assumed = *assumed;
    if (!seen_.first || found.at < seen_.first->at) seen_.first = found;
  }

  AssumptionsSeen seen_;
  std::optional<Duration> assumed_absence_;
};

}  // namespace tactus::device
