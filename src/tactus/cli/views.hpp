// What `sim` and `run` can show of a schedule beside its tasks: lists, pictures and a trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tactus/base/file.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/model/system.hpp"
#include "tactus/report/timeline.hpp"
#include "tactus/trace/bounds.hpp"
#include "tactus/trace/perfetto.hpp"
#include "tactus/trace/recorder.hpp"

namespace tactus::cli {

/// What the user wants to see.
struct Views {
  std::string trace;     // file, or - for standard output; empty: none
  std::string timeline;  // file, or - for standard output; empty: none
  std::string from;      // of pictures; empty: the start of the schedule
  std::string to;        // empty: its end
  bool picture = false;
  bool jobs = false;
  bool blocks = false;
  bool all = false;  // tasks of a long table
  bool json = false;

  /// Whether a trace or a picture goes to standard output.
  [[nodiscard]] bool takes_standard_output() const { return trace == "-" || timeline == "-"; }
  [[nodiscard]] bool drawn() const { return picture || !timeline.empty(); }
  /// Whether events have to be recorded for it.
  [[nodiscard]] bool recorded() const { return jobs || blocks || drawn(); }
};

void add_view_options(Verb verb, Views& views);

/// InputError when two of them are to go to standard output.
void check_views(const Views& views);

trace::RecorderOptions recorder_options(const Views& views);

/// The part of a schedule that the user wants to see drawn. InputError when it is empty or nothing is drawn.
report::TimelineRange drawn_range(const Views& views);
/// The same of a schedule that is known up to `reached`: whatever is left open, pictures show all of it.
report::TimelineRange drawn_range(const Views& views, Time reached);

/// Opened before the work: a path that cannot be written is better said before it than after it.
class TimelineFile {
 public:
  explicit TimelineFile(const Views& views);
  void write(const System& system, const trace::Recording& recording, const trace::Bounds& bounds,
             const report::TimelineRange& range);

 private:
  std::optional<AtomicFile> file_;  // none: not wanted
};

/// The picture and the lists, for the terminal.
std::string views_text(const Views& views, const System& system, const trace::Recording& recording,
                       const trace::Bounds& bounds, const report::TimelineRange& range);

/// How many deadlines were missed, and the first of them.
std::string misses_line(const System& system, std::uint64_t misses,
                        const std::optional<trace::JobEnded>& first, Time reached);

/// Says what was left out and which files were written.
void say_what_was_written(const Views& views, const trace::Recording& recording, bool trace_truncated);

}  // namespace tactus::cli
