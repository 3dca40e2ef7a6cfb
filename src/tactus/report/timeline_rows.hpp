// What the SVG and the text timeline share: rows, time axis, and the thinning of marks.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/report/timeline.hpp"

namespace tactus::report {

/// A block, a copy or a stretch of a CPU segment.
struct Bar {
  trace::JobName job;
  std::uint32_t segment = 0;
  std::int64_t block = -1;  // -1: none
  Time start{};
  Time end{};
};

/// How the servers of a lane are shown.
enum class TrackForm : std::uint8_t {
  each,      // one server, a row for each of its slots
  same,      // several with identical schedules: the bars are those of the first
  together,  // one row for one or several servers, whose bars overlap
  idle,      // idle servers: no row
};

/// An SM, a copy engine or a CPU core, or several of them. Bars of one row do not overlap unless they are
/// shown together.
struct Track {
  std::string name;  // "SM 3", "SM 0-63"
  std::vector<std::vector<Bar>> rows;
  std::size_t servers = 1;
  TrackForm form = TrackForm::each;
};

struct Stretch {
  Time start{};
  Time end{};
};

/// A job and when any part of it executed; in between it waited. Where that was not recorded: from its start
/// to its completion.
struct DrawnJob {
  trace::JobEnded ended;
  std::span<const Stretch> executing;
};

struct Rows {
  Rows() = default;
  Rows(const Rows&) = delete;  // the jobs look into `stretches`
  Rows& operator=(const Rows&) = delete;
  Rows(Rows&&) = default;
  Rows& operator=(Rows&&) = default;
  ~Rows() = default;

  Time from{};
  Time to{};  // after `from`
  std::vector<Track> lanes;
  std::vector<std::vector<DrawnJob>> jobs;  // by task: those that touch the range, by their release
  std::vector<Stretch> stretches;           // of all of them
  std::size_t blocks = 0;                   // in the range

  [[nodiscard]] std::size_t number_of_rows() const;
};

/// Servers that are idle in the range share one lane. Where there are many rows, neighbouring servers with
/// identical schedules become one lane; where there are still more than `max_rows`, the slots of a server
/// are shown together, and then 2, 4, 8, ... neighbouring servers. Nothing is left out.
Rows rows_of(const System& system, const trace::Recording& recording, const TimelineRange& range,
             std::size_t max_rows);

/// The part of an SM that a block of this segment takes; 1 for what takes all of it.
double share_of_sm(const System& system, TaskIndex task, std::uint32_t segment);

/// Marks of a time axis at round instants.
struct Axis {
  std::vector<Time> ticks;
  std::int64_t unit = 1;  // nanoseconds
  std::string_view unit_name;

  /// The instant in the axis' unit, exactly: "1.25 ms"; "0" needs no unit.
  [[nodiscard]] std::string label(Time time) const;
};

/// An axis with at most `max_ticks` marks, but never fewer than two allowed.
Axis axis_of(Time from, Time to, std::size_t max_ticks);

/// Draw only every n-th of so many marks, with n of 1, 2, 5, 10, 20, ..., so that at most `room` are drawn.
std::uint64_t every_which(std::size_t marks, std::size_t room);

/// "every 5th".
std::string ordinal(std::uint64_t number);

}  // namespace tactus::report
