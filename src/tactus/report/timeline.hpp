// Pictures of a schedule: which job occupied which SM slot and copy engine when, and the outcome of every
// job.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "tactus/model/system.hpp"
#include "tactus/trace/bounds.hpp"
#include "tactus/trace/recorder.hpp"

namespace tactus::report {

/// The part of a schedule to show. Without an end: up to the last
/// recorded event, and the deadlines soon after it.
struct TimelineRange {
  Time from{};
  std::optional<Time> to{};
};

struct SvgOptions {
  TimelineRange range{};
  std::string title{};  // default: the system's name
  int width = 860;      // pixels; about what a page shows without scaling it down
  std::size_t max_rows = 40;
  trace::Bounds bounds{};  // proven bounds, marked after every release
};

/// A self-contained SVG picture, light or dark as the reader prefers. It needs the recorded blocks, copies,
/// CPU stretches and ends. Where SM slots are more than `max_rows`, several are drawn in one row; where
/// marks would cover each other they are thinned. The picture says so.
std::string timeline_svg(const System& system, const trace::Recording& recording,
                         const SvgOptions& options = {});

struct TextOptions {
  TimelineRange range{};
  std::size_t width = 100;  // columns of a terminal
  std::size_t max_rows = 24;
  trace::Bounds bounds{};
};

/// The same for a terminal: one line a slot, a letter for each task, a time ruler below.
std::string timeline_text(const System& system, const trace::Recording& recording,
                          const TextOptions& options = {});

}  // namespace tactus::report
