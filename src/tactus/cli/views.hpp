// Output of `sim` and `run` besides the table of tasks: lists, pictures and a trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tactus/cli/verb.hpp"
#include "tactus/model/system.hpp"
#include "tactus/report/timeline.hpp"
#include "tactus/trace/bounds.hpp"
#include "tactus/trace/perfetto.hpp"
#include "tactus/trace/recorder.hpp"

namespace tactus::cli {

/// The requested output.
struct Views {
  std::string trace;     // file, or - for standard output; empty: none
  std::string timeline;  // file, or - for standard output; empty: none
  std::string from;      // of pictures; empty: from the start of the schedule
  std::string to;        // empty: to its end
  bool picture = false;
  bool jobs = false;
  bool blocks = false;
  bool all = false;  // all tasks of a long table
  bool json = false;

  /// Whether a trace or a picture goes to standard output.
  [[nodiscard]] bool takes_standard_output() const { return trace == "-" || timeline == "-"; }
  [[nodiscard]] bool drawn() const { return picture || !timeline.empty(); }
  /// Whether events have to be recorded.
  [[nodiscard]] bool recorded() const { return jobs || blocks || drawn(); }
};

void add_view_options(Verb verb, Views& views);

/// InputError when two of them go to standard output or to one file, or to one that is read.
void check_views(const Views& views, const std::vector<std::string>& inputs);

trace::RecorderOptions recorder_options(const Views& views);

/// The part of the schedule to draw. InputError when it is empty or nothing is drawn.
report::TimelineRange drawn_range(const Views& views);
/// The same for a schedule known up to `reached`, which is the default end.
report::TimelineRange drawn_range(const Views& views, Time reached);

/// The picture for a file; nothing where none was asked for.
std::string timeline_of(const Views& views, const System& system, const trace::Recording& recording,
                        const trace::Bounds& bounds, const report::TimelineRange& range);

/// The picture and the lists for the terminal.
std::string views_text(const Views& views, const System& system, const trace::Recording& recording,
                       const trace::Bounds& bounds, const report::TimelineRange& range);

/// The number of missed deadlines, and the first miss.
std::string misses_line(const System& system, std::uint64_t misses,
                        const std::optional<trace::JobEnded>& first, Time reached);

/// Reports what was left out and which files were written.
void say_what_was_written(const Views& views, const trace::Recording& recording, bool trace_truncated);

}  // namespace tactus::cli
