// Pictures of a schedule: who occupied which SM slot and copy engine when, and how every job fared.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "tactus/model/system.hpp"
#include "tactus/trace/bounds.hpp"
#include "tactus/trace/recorder.hpp"

namespace tactus::report {

/// The part of a schedule to show: for a whole run, up to where it ended. Without an end: up to the last
/// thing recorded, and the deadlines soon after it.
struct TimelineRange {
  Time from{};
  std::optional<Time> to{};
};

struct SvgOptions {
  TimelineRange range{};
  std::string title{};  // default: the system's name
  int width = 860;      // pixels; about what a page shows without scaling it down
  std::size_t most_rows = 40;
  trace::Bounds bounds{};  // what is proven of the tasks, marked behind every release
};

/// A self-contained SVG picture, light or dark as the reader prefers. It needs the recorded blocks, copies,
/// CPU stretches and ends. Where SM slots are more than `most_rows`, several are drawn in one row; where
/// marks would cover each other they are thinned. The picture says so.
std::string timeline_svg(const System& system, const trace::Recording& recording,
                         const SvgOptions& options = {});

struct TextOptions {
  TimelineRange range{};
  std::size_t width = 100;  // columns of a terminal
  std::size_t most_rows = 24;
  trace::Bounds bounds{};
};

/// The same for a terminal: one line a slot, a letter for each task, a time ruler below.
std::string timeline_text(const System& system, const trace::Recording& recording,
                          const TextOptions& options = {});

}  // namespace tactus::report
