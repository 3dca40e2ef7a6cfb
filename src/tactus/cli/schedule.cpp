#include "tactus/cli/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "tactus/base/text.hpp"
#include "tactus/cli/input.hpp"
#include "tactus/report/table.hpp"
#include "tactus/trace/recorder.hpp"

namespace tactus::cli {

namespace {

std::string time_or_dash(Time time) { return time == never ? "-" : to_text(time); }

std::vector<Standing> standings_of(const System& system, std::span<const trace::TaskStatistics> tasks) {
  std::vector<Standing> standings;
  standings.reserve(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    Standing standing{.in_order = tasks[i].misses == 0};
    const std::optional<Duration>& deadline = system.tasks[i].deadline;
    if (deadline && tasks[i].response) standing.slack = *deadline - tasks[i].response->max;
    standings.push_back(standing);
  }
  return standings;
}

std::string proof_text(const analysis::ProvenBound& proven, const std::optional<Duration>& deadline) {
  if (proven.deadline_only) return "holds";
  return proven.bound ? rounded_up_text(*proven.bound, deadline) : "-";
}

}  // namespace

std::optional<Duration> parse_length(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const Duration length = option_value("--for", text, io::parse_duration(text));
  if (length <= Duration{}) throw InputError{"--for: must be longer than 0", "for instance `--for 10s`"};
  return length;
}

std::uint64_t parse_seed(const std::string& text) {
  const io::Parsed<std::int64_t> parsed = io::parse_integer(text);
  if (!parsed.value || *parsed.value < 0) {
    throw InputError{"--seed: '" + text + "' is no seed", "any whole number from 0 to 2^63 - 1"};
  }
  return static_cast<std::uint64_t>(*parsed.value);
}

Execution execution_named(const std::string& name) {
  if (name == "best") return Execution::best;
  return name == "random" ? Execution::random : Execution::worst;
}

std::string window_text(const std::optional<Window>& window) {
  return window ? fmt::format("{} from {} on", to_text(window->budget), to_text(window->offset)) : "none";
}

std::string jobs_table(const System& system, std::span<const trace::JobEnded> jobs) {
  report::Table table{{"task"}, {"job", "release", "start", "completion", "deadline"}, {"missed", "fate"}};
  for (const trace::JobEnded& job : jobs) {
    table.add_row({system.tasks[job.job.task].name, fmt::to_string(job.job.number), to_text(job.release),
                   time_or_dash(job.start), time_or_dash(job.completion), time_or_dash(job.deadline),
                   job.missed ? "MISSED" : "", std::string{trace::fate_word(job)}});
  }
  return table.to_text(wants_colour(), text_width());
}

std::string how_it_missed(const trace::JobEnded& job, Time reached) {
  switch (job.fate) {
    case trace::Fate::aborted:
      return "was aborted: it had used up its budget";
    case trace::Fate::failed:
      return "failed";
    case trace::Fate::skipped:
      return "was skipped";
    case trace::Fate::no_room:
      return "was dropped: too many jobs were pending";
    case trace::Fate::full:
      return "was turned away: max_jobs were in progress";
    case trace::Fate::ran:
      break;
  }
  if (job.completion == never) return fmt::format("was not done at {}", to_text(reached));
  return fmt::format("completed at {}, {} late", to_text(job.completion),
                     rounded_text(job.completion - job.deadline, Rounding::up));
}

std::string blocks_table(const System& system, std::span<const trace::BlockRan> blocks) {
  report::Table table{{"task"}, {"job", "segment", "block", "SM", "start", "end"}};
  for (const trace::BlockRan& block : blocks) {
    table.add_row({system.tasks[block.job.task].name, fmt::to_string(block.job.number),
                   fmt::to_string(block.segment), fmt::to_string(block.block), fmt::to_string(block.sm),
                   to_text(block.start), to_text(block.end)});
  }
  return table.to_text(wants_colour(), text_width());
}

std::string tasks_table(const System& system, std::span<const trace::TaskStatistics> tasks,
                        std::span<const analysis::ProvenBound> bounds, bool all) {
  report::Table table{{"task"}, {"jobs", "misses", "min", "mean", "p99", "max", "deadline", "bound"}};
  const ShownTasks shown = shown_tasks(standings_of(system, tasks), all);
  for (const std::size_t i : shown.tasks) {
    const trace::TaskStatistics& task = tasks[i];
    const Task& description = system.tasks[i];
    std::vector<report::Cell> row{
        description.name, with_thousands(task.released),
        report::Cell{with_thousands(task.misses), task.misses > 0 ? report::Tone::bad : report::Tone::plain}};
    if (task.response) {
      for (const Duration value :
           {task.response->min, task.response->mean, task.response->p99, task.response->max}) {
        row.push_back(rounded_up_text(value, description.deadline));
      }
    } else {
      row.insert(row.end(), 4, "-");
    }
    row.push_back(description.deadline ? to_text(*description.deadline) : "-");
    row.push_back(proof_text(bounds[i], description.deadline));
    table.add_row(std::move(row));
  }
  return table.to_text(wants_colour(), text_width()) + shown.note;
}

ShownTasks shown_tasks(const std::vector<Standing>& standings, bool all) {
  constexpr std::size_t max_whole = 40;
  constexpr std::ptrdiff_t max_listed = 20;
  ShownTasks shown;
  shown.tasks.resize(standings.size());
  std::iota(shown.tasks.begin(), shown.tasks.end(), std::size_t{0});
  if (all || standings.size() <= max_whole) return shown;
  std::stable_sort(shown.tasks.begin(), shown.tasks.end(),
                   [&](std::size_t a, std::size_t b) { return standings[a] < standings[b]; });
  shown.tasks.resize(max_listed);
  shown.note = fmt::format("These are the {} worst by slack; {} more tasks: --all shows them.\n", max_listed,
                           with_thousands(standings.size() - max_listed));
  return shown;
}

}  // namespace tactus::cli
