#include "tactus/cli/views.hpp"

#include <fmt/format.h>

#include "tactus/base/text.hpp"
#include "tactus/cli/input.hpp"
#include "tactus/cli/schedule.hpp"
#include "tactus/report/timeline.hpp"

namespace tactus::cli {

void add_view_options(CLI::App& verb, Views& views) {
  verb.add_option("--trace", views.trace,
                  "Write a trace for ui.perfetto.dev to this file (-: standard output)");
  verb.add_option("--timeline", views.timeline, "Write a picture (SVG) to this file (-: standard output)");
  verb.add_flag("--picture", views.picture, "Draw the schedule in the terminal");
  verb.add_flag("--jobs", views.jobs, "List every job");
  verb.add_flag("--blocks", views.blocks, "List every block with its SM");
  verb.add_flag("--json", views.json, "JSON for machines");
}

trace::RecorderOptions recorder_options(const Views& views) {
  const bool drawn = views.drawn();
  return {.keep = {.releases = drawn,
                   .blocks = views.blocks || drawn,
                   .copies = drawn,
                   .cpus = drawn,
                   .ends = views.jobs || drawn}};
}

void check_views(const Views& views) {
  refuse_to_mix({{"--trace -", is_standard_stream(views.trace)},
                 {"--timeline -", is_standard_stream(views.timeline)},
                 {"--json", views.json}});
}

TimelineFile::TimelineFile(const Views& views) : is_printed_{is_standard_stream(views.timeline)} {
  if (!views.timeline.empty() && !is_printed_) file_.emplace(views.timeline);
}

void TimelineFile::write(const System& system, const trace::Recording& recording,
                         const trace::Bounds& bounds) {
  if (!file_ && !is_printed_) return;
  report::SvgOptions options;
  options.bounds = bounds;
  const std::string picture = report::timeline_svg(system, recording, options);
  if (is_printed_) {
    print(picture);
    return;
  }
  file_->write(picture);
  file_->commit();
}

std::string views_text(const Views& views, const System& system, const trace::Recording& recording,
                       const trace::Bounds& bounds) {
  std::string text;
  if (views.picture) {
    report::TextOptions options;
    options.bounds = bounds;
    text += report::timeline_text(system, recording, options) + "\n";
  }
  if (views.blocks) text += blocks_table(system, recording.blocks) + "\n";
  if (views.jobs) text += jobs_table(system, recording.ends) + "\n";
  return text;
}

std::string misses_line(const System& system, std::uint64_t misses,
                        const std::optional<trace::JobEnded>& first, Time reached) {
  if (!first) return "No deadline missed.\n";
  return fmt::format("{} missed. The first: '{}' job {}, released at {}, deadline {}, {}.\n",
                     plural(misses, "deadline"), system.tasks[first->job.task].name, first->job.number,
                     to_text(first->release), to_text(first->deadline), how_it_missed(*first, reached));
}

void say_what_was_written(const Views& views, const trace::Recording& recording, bool trace_truncated) {
  if (!recording.complete()) say("note: too many events to keep them all; the lists are cut off");
  if (trace_truncated) say("note: too many events for one trace; the later ones are left out");
  if (!views.trace.empty() && !is_standard_stream(views.trace)) {
    say(fmt::format("trace: {} (open it at https://ui.perfetto.dev)", views.trace));
  }
  if (!views.timeline.empty() && !is_standard_stream(views.timeline))
    say(fmt::format("timeline: {}", views.timeline));
}

}  // namespace tactus::cli
