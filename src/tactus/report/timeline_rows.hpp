// What both pictures of a schedule share: its rows, its time axis.
#pragma once

#include <cstdint>
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

/// An SM, a copy engine or a CPU core, or several SMs that did the same. Bars of one row do not overlap; an
/// SM without any has one empty row.
struct Lane {
  std::string name;  // "SM 3", "SM 0-63"
  std::vector<std::vector<Bar>> rows;
  std::size_t servers = 1;  // more than one: the blocks are those of the first
};

struct Rows {
  Time from{};
  Time to{};  // after `from`
  std::vector<Lane> lanes;
  std::vector<std::vector<trace::JobEnded>> jobs;  // by task: those that touch the range
  std::size_t blocks = 0;                          // in the range, whether or not their row is shown
  std::size_t left_out = 0;                        // rows beyond the limit
};

/// More than `most_rows` rows are reduced: first neighbouring SMs that did the same at the same times become
/// one lane, then the last rows are left out.
Rows rows_of(const System& system, const trace::Recording& recording, const TimelineRange& range,
             std::size_t most_rows);

/// Marks of a time axis at round instants.
struct Axis {
  std::vector<Time> ticks;
  std::int64_t unit = 1;  // nanoseconds
  std::string_view unit_name;

  /// The instant in the axis' unit, exactly: "1.25".
  [[nodiscard]] std::string label(Time time) const;
};

/// An axis with at most `most_ticks` marks, but never fewer than two allowed.
Axis axis_of(Time from, Time to, std::size_t most_ticks);

}  // namespace tactus::report
