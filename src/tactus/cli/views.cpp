#include "tactus/cli/views.hpp"

#include <fmt/format.h>

#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/cli/input.hpp"
#include "tactus/cli/schedule.hpp"
#include "tactus/report/table.hpp"

namespace tactus::cli {

void add_view_options(Verb verb, Views& views) {
  verb.add_option("--trace", views.trace,
                  "Write a trace for ui.perfetto.dev to this file (-: standard output)")
      .type_name("FILE");
  verb.add_option("--timeline", views.timeline, "Write a picture (SVG) to this file (-: standard output)")
      .type_name("FILE");
  verb.add_flag("--picture", views.picture, "Draw the schedule in the terminal");
  verb.add_option("--from", views.from, "Where pictures begin, with a unit (default 0)");
  verb.add_option("--to", views.to, "Where pictures end, with a unit (default: where the schedule ends)");
  verb.add_flag("--jobs", views.jobs, "List every job");
  verb.add_flag("--blocks", views.blocks, "List every block with its SM");
  verb.add_flag("--all", views.all, "Every task of a long table, in file order");
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

void check_views(const Views& views, const std::vector<std::string>& inputs) {
  refuse_to_mix({{"--trace -", is_standard_stream(views.trace)},
                 {"--timeline -", is_standard_stream(views.timeline)},
                 {"--json", views.json}});
  refuse_to_replace({{"--trace", views.trace}, {"--timeline", views.timeline}}, inputs);
}

report::TimelineRange drawn_range(const Views& views) {
  const auto instant = [](const char* option, const std::string& text) {
    const Duration value = option_value(option, text, io::parse_duration(text));
    if (value < Duration{}) throw InputError{fmt::format("{}: must not be negative", option)};
    return time_at(value);
  };
  if (!views.drawn() && (!views.from.empty() || !views.to.empty())) {
    throw InputError{"--from and --to are about pictures, and none is drawn",
                     "add `--picture` or `--timeline FILE`"};
  }
  report::TimelineRange range;
  if (!views.from.empty()) range.from = instant("--from", views.from);
  if (!views.to.empty()) range.to = instant("--to", views.to);
  if (range.to && *range.to <= range.from) {
    throw InputError{fmt::format("nothing to draw from {} to {}", to_text(range.from), to_text(*range.to)),
                     "`--from` must be before `--to`"};
  }
  return range;
}

report::TimelineRange drawn_range(const Views& views, Time reached) {
  report::TimelineRange range = drawn_range(views);
  if (reached == never) return range;
  if (views.drawn() && range.from >= reached) {
    say(fmt::format("note: the schedule ended at {}: there is nothing to draw from {} on", to_text(reached),
                    to_text(range.from)));
  }
  if (!range.to) range.to = reached;
  return range;
}

std::string timeline_of(const Views& views, const System& system, const trace::Recording& recording,
                        const trace::Bounds& bounds, const report::TimelineRange& range) {
  if (views.timeline.empty()) return {};
  return report::timeline_svg(system, recording, {.range = range, .bounds = bounds});
}

std::string views_text(const Views& views, const System& system, const trace::Recording& recording,
                       const trace::Bounds& bounds, const report::TimelineRange& range) {
  std::string text;
  if (views.picture) {
    text += report::timeline_text(system, recording,
                                  {.range = range, .width = picture_width(), .bounds = bounds}) +
            "\n";
  }
  if (views.blocks) text += blocks_table(system, recording.blocks) + "\n";
  if (views.jobs) text += jobs_table(system, recording.ends) + "\n";
  return text;
}

std::string misses_line(const System& system, std::uint64_t misses,
                        const std::optional<trace::JobEnded>& first, Time reached) {
  if (!first) return report::toned("No deadline missed.", report::Tone::good, wants_colour()) + "\n";
  return fmt::format(
      "{} The first: '{}' job {}, released at {}, deadline {}, {}.\n",
      report::toned(plural(misses, "deadline") + " missed.", report::Tone::bad, wants_colour()),
      system.tasks[first->job.task].name, first->job.number, to_text(first->release),
      to_text(first->deadline), how_it_missed(*first, reached));
}

void say_what_was_written(const Views& views, const trace::Recording& recording, bool trace_truncated) {
  if (!recording.complete()) say("note: too many events to keep them all; the lists are cut off");
  if (trace_truncated) say("note: too many events for one trace; the later ones are left out");
  if (!views.trace.empty() && !is_standard_stream(views.trace)) {
    say(fmt::format("trace: {} (open it at https://ui.perfetto.dev)", shown(views.trace)));
  }
  if (!views.timeline.empty() && !is_standard_stream(views.timeline))
    say(fmt::format("timeline: {}", shown(views.timeline)));
}

}  // namespace tactus::cli
