// tactus sim: what happens, block by block.
#include <fmt/format.h>

#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tactus/analysis/check.hpp"
#include "tactus/base/error.hpp"
#include "tactus/base/file.hpp"
#include "tactus/base/text.hpp"
#include "tactus/cli/interrupt.hpp"
#include "tactus/cli/progress.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/io/units.hpp"
#include "tactus/report/table.hpp"
#include "tactus/report/timeline.hpp"
#include "tactus/sched/core.hpp"
#include "tactus/sim/simulate.hpp"
#include "tactus/trace/first_miss.hpp"
#include "tactus/trace/perfetto.hpp"
#include "tactus/trace/recorder.hpp"
#include "tactus/trace/statistics.hpp"

namespace tactus::cli {

using report::Align;
using sim::Ending;
using sim::Outcome;

namespace {

constexpr std::string_view examples = R"(
Examples:
  tactus sim robot.yaml                                two hyperperiods, worst-case times
  tactus sim robot.yaml --for 10s --execution random --seed 7
  tactus sim robot.yaml --trace trace.json             open it at ui.perfetto.dev
  tactus sim robot.yaml --timeline timeline.svg        a picture as a file
  tactus sim robot.yaml --picture                      a picture in the terminal
  tactus sim robot.yaml --blocks                       which block ran on which SM when

Exit status: 0 no deadline missed, 1 a deadline missed (or a bound broken), 2 bad input, 130 interrupted.)";

struct SimOptions {
  std::string file;
  std::string horizon;
  std::string seed_text = "1";
  std::uint64_t seed = 1;
  std::string execution = "worst";
  std::string trace;
  std::string timeline;
  bool picture = false;
  bool jobs = false;
  bool blocks = false;
  bool json = false;
};

/// Everything a simulation left to be told.
struct SimReport {
  System system;
  Outcome outcome;
  std::vector<trace::TaskStatistics> tasks;
  std::vector<std::optional<Duration>> bounds;
  std::optional<trace::JobEnded> first_miss;
  trace::Recording recording;
  std::uint64_t misses = 0;
  bool trace_truncated = false;

  /// Indices of tasks whose observed response exceeds what was proven: a bug in an analysis.
  [[nodiscard]] std::vector<std::size_t> broken_bounds() const {
    std::vector<std::size_t> broken;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (bounds[i] && tasks[i].response && tasks[i].response->max > *bounds[i]) broken.push_back(i);
    }
    return broken;
  }
};

Execution execution_named(const std::string& name) {
  if (name == "best") return Execution::best;
  return name == "random" ? Execution::random : Execution::worst;
}

std::optional<Duration> horizon_of(const SimOptions& options) {
  if (options.horizon.empty()) return std::nullopt;
  const io::Parsed<Duration> parsed = io::parse_duration(options.horizon);
  if (!parsed.value) throw InputError{"--for: '" + options.horizon + "' " + parsed.message, parsed.hint};
  if (*parsed.value <= Duration{})
    throw InputError{"--for: must be longer than 0", "for instance `--for 10s`"};
  return parsed.value;
}

std::uint64_t seed_of(const std::string& text) {
  const io::Parsed<std::int64_t> parsed = io::parse_integer(text);
  if (!parsed.value || *parsed.value < 0) {
    throw InputError{"--seed: '" + text + "' is no seed", "any whole number from 0 to 2^63 - 1"};
  }
  return static_cast<std::uint64_t>(*parsed.value);
}

std::string time_or_dash(Time time) { return time == never ? "-" : to_text(time); }

std::string jobs_table(const SimReport& report) {
  report::Table table{{{"task", Align::left},
                       {"job", Align::right},
                       {"release", Align::right},
                       {"start", Align::right},
                       {"completion", Align::right},
                       {"deadline", Align::right},
                       {"missed", Align::left}}};
  for (const trace::JobEnded& job : report.recording.ends) {
    table.add_row({report.system.tasks[job.job.task].name, fmt::to_string(job.job.number),
                   to_text(job.release), time_or_dash(job.start), time_or_dash(job.completion),
                   time_or_dash(job.deadline), job.missed ? "MISSED" : ""});
  }
  return table.to_text(wants_colour());
}

std::string blocks_table(const SimReport& report) {
  report::Table table{{{"task", Align::left},
                       {"job", Align::right},
                       {"segment", Align::right},
                       {"block", Align::right},
                       {"SM", Align::right},
                       {"start", Align::right},
                       {"end", Align::right}}};
  for (const trace::BlockRan& block : report.recording.blocks) {
    table.add_row({report.system.tasks[block.job.task].name, fmt::to_string(block.job.number),
                   fmt::to_string(block.segment), fmt::to_string(block.block), fmt::to_string(block.sm),
                   to_text(block.start), to_text(block.end)});
  }
  return table.to_text(wants_colour());
}

std::string tasks_table(const SimReport& report) {
  report::Table table{{{"task", Align::left},
                       {"jobs", Align::right},
                       {"misses", Align::right},
                       {"min", Align::right},
                       {"mean", Align::right},
                       {"p99", Align::right},
                       {"max", Align::right},
                       {"deadline", Align::right},
                       {"bound", Align::right}}};
  for (std::size_t i = 0; i < report.tasks.size(); ++i) {
    const trace::TaskStatistics& task = report.tasks[i];
    const Task& description = report.system.tasks[i];
    std::vector<report::Cell> row{
        description.name, with_thousands(task.released),
        report::Cell{with_thousands(task.misses), task.misses > 0 ? report::Tone::bad : report::Tone::plain}};
    if (task.response) {
      for (const Duration value :
           {task.response->min, task.response->mean, task.response->p99, task.response->max}) {
        row.push_back(to_text(value));
      }
    } else {
      row.insert(row.end(), 4, "-");
    }
    row.push_back(description.deadline ? to_text(*description.deadline) : "-");
    row.push_back(report.bounds[i] ? to_text(*report.bounds[i]) : "-");
    table.add_row(std::move(row));
  }
  return table.to_text(wants_colour());
}

std::string closing_lines(const SimReport& report) {
  std::string text;
  const Outcome& outcome = report.outcome;
  if (report.first_miss) {
    const trace::JobEnded& job = *report.first_miss;
    const std::string how = job.completion == never
                                ? fmt::format("was not done at {}", to_text(outcome.reached))
                                : fmt::format("completed at {}, {} late", to_text(job.completion),
                                              to_text(job.completion - job.deadline));
    text += fmt::format("{} missed. The first: '{}' job {}, released at {}, deadline {}, {}.\n",
                        plural(report.misses, "deadline"), report.system.tasks[job.job.task].name,
                        job.job.number, to_text(job.release), to_text(job.deadline), how);
  } else {
    text += "No deadline missed.\n";
  }
  if (outcome.pending > 0) {
    text += fmt::format("{} pending at {}.\n", plural(outcome.pending, "job"), to_text(outcome.reached));
  }
  if (outcome.ending == Ending::too_many_jobs) {
    text += fmt::format(
        "The system is overloaded: too many jobs were pending, the schedule is known only up to {}.\n",
        to_text(outcome.reached));
  } else if (outcome.ending == Ending::interrupted) {
    text += fmt::format("Interrupted at {}.\n", to_text(outcome.reached));
  }
  for (const std::size_t task : report.broken_bounds()) {
    text += fmt::format(
        "BOUND BROKEN: '{}' took {}, proven was {}. This is a bug in an analysis; please report it.\n",
        report.system.tasks[task].name, to_text(report.tasks[task].response->max),
        to_text(*report.bounds[task]));
  }
  return text;
}

std::string text_of(const SimReport& report, const SimOptions& options) {
  const System& system = report.system;
  std::string text = fmt::format(
      "{} on {}, {}, {} times, 0 to {}\n\n", system.name,
      system.platform.preset.empty() ? plural(static_cast<std::uint64_t>(system.platform.gpu.sms), "SM")
                                     : system.platform.preset,
      sched::strategy_name(system.policy.strategy), options.execution, to_text(report.outcome.horizon));
  if (options.picture) text += report::timeline_text(system, report.recording) + "\n";
  if (options.blocks) text += blocks_table(report) + "\n";
  if (options.jobs) text += jobs_table(report) + "\n";
  return text + tasks_table(report) + "\n" + closing_lines(report);
}

void print_json(const SimReport& report, const SimOptions& options) {
  nlohmann::ordered_json json{{"system", report.system.name}};
  to_json(json, report.outcome);
  json["seed"] = options.seed;
  json["execution"] = options.execution;
  json["misses"] = report.misses;
  json["tasks"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < report.tasks.size(); ++i) {
    nlohmann::ordered_json task{{"name", report.system.tasks[i].name}};
    to_json(task, report.tasks[i]);
    task["bound_ns"] = nullptr;
    if (report.bounds[i]) task["bound_ns"] = report.bounds[i]->count();
    json["tasks"].push_back(std::move(task));
  }
  json["truncated"] = nlohmann::ordered_json::array();
  if (report.recording.truncated.ends) json["truncated"].push_back("jobs");
  if (report.recording.truncated.blocks) json["truncated"].push_back("blocks");
  // Jobs and blocks may be millions: they are written behind, not kept in the object.
  std::string head = json.dump();
  head.pop_back();
  print(head);
  std::fflush(stdout);
  if (options.jobs) {
    std::cout << ",\"jobs\":";
    trace::write_jobs_json(std::cout, report.recording.ends, report.system);
  }
  if (options.blocks) {
    std::cout << ",\"blocks\":";
    trace::write_blocks_json(std::cout, report.recording.blocks, report.system);
  }
  std::cout << "}\n" << std::flush;
  if (!std::cout) throw FailureError{"standard output cannot be written"};
}

SimReport simulate(const SimOptions& options) {
  SimReport report;
  report.system = load(options.file);
  const System& system = report.system;

  trace::Statistics statistics{system.tasks.size()};
  trace::FirstMiss first_miss;
  const bool drawn = options.picture || !options.timeline.empty();
  trace::Recorder recorder{{.keep = {.releases = drawn,
                                     .blocks = options.blocks || drawn,
                                     .copies = drawn,
                                     .cpus = drawn,
                                     .ends = options.jobs || drawn}}};
  std::vector<trace::Observer*> observers{&statistics, &first_miss};
  if (options.jobs || options.blocks || drawn) observers.push_back(&recorder);
  std::optional<trace::PerfettoExporter> exporter;
  if (!options.trace.empty()) observers.push_back(&exporter.emplace(options.trace, system));

  Progress progress{"simulating " + system.name};
  const InterruptGuard guard;
  sim::Options simulation;
  simulation.horizon = horizon_of(options);
  simulation.seed = options.seed;
  simulation.execution = execution_named(options.execution);
  simulation.stop = &InterruptGuard::flag();
  simulation.progress = [&](Time now, Time horizon) {
    progress.show(horizon == never ? -1.0
                                   : static_cast<double>(count(now)) / static_cast<double>(count(horizon)));
  };
  report.outcome = sim::simulate(system, simulation, observers);
  report.tasks = statistics.all();
  report.misses = statistics.misses();
  report.first_miss = first_miss.job();
  report.recording = recorder.take();
  report.bounds = analysis::smallest_bounds(system, analysis::check(system));
  if (exporter) {
    exporter->finish(report.outcome.reached);
    report.trace_truncated = exporter->truncated();
  }
  return report;
}

int run(const SimOptions& options) {
  // Opened first: a path that cannot be written is better said before the work than after it.
  std::optional<AtomicFile> timeline;
  if (!options.timeline.empty()) timeline.emplace(options.timeline);
  const SimReport report = simulate(options);
  if (timeline) {
    timeline->write(report::timeline_svg(report.system, report.recording));
    timeline->commit();
  }
  if (options.json) {
    print_json(report, options);
  } else {
    print(text_of(report, options));
  }
  if (!report.recording.complete()) say("note: too many events to keep them all; the lists are cut off");
  if (report.trace_truncated) say("note: too many events for one trace; the later ones are left out");
  if (!options.trace.empty())
    say(fmt::format("trace: {} (open it at https://ui.perfetto.dev)", options.trace));
  if (!options.timeline.empty()) say(fmt::format("timeline: {}", options.timeline));
  if (report.outcome.ending == Ending::interrupted) return interrupted;
  return report.misses > 0 || !report.broken_bounds().empty() ? answer_no : answer_yes;
}

}  // namespace

void add_sim(CLI::App& app, Action& action) {
  CLI::App* verb =
      app.add_subcommand("sim", "What happens? Simulates the GPU's own scheduler, block by block");
  const auto options = std::make_shared<SimOptions>();
  verb->add_option("FILE", options->file, "System file")->required();
  verb->add_option("--for", options->horizon,
                   "How long to simulate, with a unit (default: two hyperperiods after the largest offset)");
  verb->add_option("--seed", options->seed_text, "Seed of everything random (default 1)");
  verb->add_option("--execution", options->execution,
                   "Execution times: worst, best or random (default worst)")
      ->check(CLI::IsMember({"worst", "best", "random"}));
  verb->add_option("--trace", options->trace, "Write a trace for ui.perfetto.dev to this file");
  verb->add_option("--timeline", options->timeline, "Write a picture (SVG) to this file");
  verb->add_flag("--picture", options->picture, "Draw the schedule in the terminal");
  verb->add_flag("--jobs", options->jobs, "List every job");
  verb->add_flag("--blocks", options->blocks, "List every block with its SM");
  verb->add_flag("--json", options->json, "JSON for machines");
  verb->footer(std::string{examples});
  verb->callback([&action, options] {
    action = [options] {
      options->seed = seed_of(options->seed_text);
      return run(*options);
    };
  });
}

}  // namespace tactus::cli
