#include "tactus/cli/check_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "tactus/analysis/json.hpp"
#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/base/version.hpp"
#include "tactus/cli/chains.hpp"
#include "tactus/cli/schedule.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/io/document.hpp"
#include "tactus/plan/json.hpp"
#include "tactus/report/table.hpp"
#include "tactus/sched/core.hpp"

namespace tactus::cli {

using analysis::Analysis;
using analysis::CheckedAnalysis;
using analysis::CheckResult;
using analysis::ProvenBound;
using analysis::Verdict;
using nlohmann::ordered_json;

namespace {

/// The tasks with their smallest proven bounds.
std::string bounds_table(const System& system, const CheckResult& result, bool all) {
  report::Table table{{"task"}, {"deadline", "bound", "slack"}};
  const std::vector<ProvenBound> bounds = analysis::proven_bounds(system, result);
  std::vector<Standing> standings;
  standings.reserve(system.tasks.size());
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    const std::optional<Duration>& deadline = system.tasks[i].deadline;
    const std::optional<Duration>& bound = bounds[i].bound;
    standings.push_back(
        {.in_order = bound || !deadline, .slack = bound && deadline ? *deadline - *bound : Duration::max()});
  }
  const ShownTasks shown = shown_tasks(standings, all);
  for (const std::size_t i : shown.tasks) {
    const Task& task = system.tasks[i];
    const auto& [bound, deadline_only] = bounds[i];
    const std::string deadline = task.deadline ? to_text(*task.deadline) : "-";
    if (deadline_only) {
      table.add_row({task.name, deadline, "holds", "-"});
    } else {
      table.add_row({task.name, deadline, bound ? rounded_up_text(*bound, task.deadline) : "-",
                     bound && task.deadline ? rounded_text(standings[i].slack, Rounding::down) : "-"});
    }
  }
  return table.to_text(wants_colour(), text_width()) + shown.note;
}

std::string verdict_text(Verdict verdict) {
  const report::Tone tone = verdict == Verdict::schedulable ? report::Tone::good : report::Tone::bad;
  return report::toned(std::string{to_string(verdict)}, tone, wants_colour());
}

/// Why the result does not count for the verdict.
std::string caveat(const Analysis& entry) {
  if (!entry.sound) return ", as published, not sound";
  if (!entry.run_time_model.empty()) return fmt::format(", only if {}", entry.run_time_model);
  return {};
}

constexpr std::array<std::string_view, 5> words{"text", "json", "junit", "sarif", "github"};

void print_line(const ordered_json& json) { print(json.dump() + "\n"); }

ordered_json line_of(const std::string& file) {
  return {{"file", shown(file)}, {"tactus_version", version()}};
}

ordered_json json_of(const Problem& problem) {
  return {{"file", problem.file},        {"line", problem.line},       {"column", problem.column},
          {"id", to_string(problem.id)}, {"message", problem.message}, {"hint", problem.hint}};
}

}  // namespace

std::vector<std::string> check_format_words() { return {words.begin(), words.end()}; }

CheckFormat check_format_named(std::string_view word) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words.at(i) == word) return static_cast<CheckFormat>(i);
  }
  return CheckFormat::text;
}

std::string check_text(const System& system, const CheckResult& result, const CheckTextOptions& options) {
  std::string text = fmt::format("{}: {}\n\n{}\n", result.system, verdict_text(result.verdict),
                                 bounds_table(system, result, options.all));
  const std::string chains = chain_bounds_text(result.chains);
  if (!chains.empty()) text += chains + "\n";
  std::size_t folded = 0;
  // What keeps the tests that could prove it from applying is the first thing to know then.
  const bool none_can_prove =
      std::none_of(result.analyses.begin(), result.analyses.end(), [](const CheckedAnalysis& checked) {
        return checked.result.applies() &&
               kind_here(checked.analysis, checked.result) != analysis::Kind::necessary;
      });
  for (const auto& [entry, answer] : result.analyses) {
    if (answer.applies()) {
      text += fmt::format("{} ({}{}): {}; {}.\n", entry.id, to_string(kind_here(entry, answer)),
                          caveat(entry), to_string(*answer.verdict), answer.reason);
    } else if (is_for_other_strategy(entry, system) && !options.chosen && !options.verbose) {
      continue;
    } else if (options.verbose || options.chosen || none_can_prove) {
      text += fmt::format("{} does not apply: {}.\n", entry.id, answer.why_not);
    } else {
      ++folded;
    }
  }
  const bool none_is_about_it =
      !options.chosen &&
      std::all_of(result.analyses.begin(), result.analyses.end(), [&](const CheckedAnalysis& checked) {
        return is_for_other_strategy(checked.analysis, system);
      });
  if (none_is_about_it) {
    text += fmt::format("No analysis is about the strategy {} yet.\n", system.policy.strategy->name);
  }
  if (folded > 0) {
    text += fmt::format("{} not apply; --verbose says why.\n",
                        folded == 1 ? "1 analysis does" : fmt::format("{} analyses do", folded));
  }
  return text;
}

void CheckTeller::checked(const std::string& file, const std::string& source, const System& system,
                          const analysis::CheckResult& result, const CheckAnswer& answer) {
  summary_.count(result.verdict);
  switch (format_) {
    case CheckFormat::text:
      print_text((first_ ? "" : "\n") + answer.text);
      if (!answer.left_out.empty()) {
        print_text("\nThis is about what was imported, so the model itself is not proven. It also has:\n");
        constexpr std::size_t most = 20;
        const std::size_t shown_lines = std::min(answer.left_out.size(), most);
        for (std::size_t i = 0; i < shown_lines; ++i)
          print_text(fmt::format("  {}\n", answer.left_out[i].text));
        if (shown_lines < answer.left_out.size())
          print_text(fmt::format("  and {} more, which `tactus import` lists\n",
                                 answer.left_out.size() - shown_lines));
      }
      break;
    case CheckFormat::json: {
      ordered_json line = line_of(file);
      line.update(to_json(result));
      for (const report::LeftOut& one : answer.left_out) line["left_out"].push_back(one.text);
      if (answer.hints) line["hints"] = to_json(*answer.hints, system);
      print_line(line);
      break;
    }
    case CheckFormat::junit:
    case CheckFormat::sarif:
    case CheckFormat::github: {
      const bool has_places = result.verdict != analysis::Verdict::schedulable && !answer.is_made;
      const std::vector<io::TextPosition> none;
      report::FileReport report =
          report::report_of(file, system, result, has_places ? io::task_places(source) : none,
                            has_places && !system.chains.empty() ? io::chain_places(source) : none);
      report::add_left_out(report, answer.left_out);
      tell(std::move(report));
      break;
    }
  }
  first_ = false;
}

void CheckTeller::bad(const std::string& file, const InputError& error) {
  summary_.count(std::nullopt);
  say_problems(error);
  if (format_ == CheckFormat::json) {
    ordered_json line = line_of(file);
    line["problems"] = ordered_json::array();
    for (const Problem& problem : error.problems()) line["problems"].push_back(json_of(problem));
    print_line(line);
  } else if (format_ != CheckFormat::text) {
    tell(report::report_of(file, error.problems()));
  }
}

void CheckTeller::tell(report::FileReport report) {
  if (format_ == CheckFormat::github) {
    print(to_github(report));
  } else {
    report_.files.push_back(std::move(report));
  }
}

void CheckTeller::skipped(const std::string& file) {
  ++summary_.skipped;
  say(fmt::format("note: {}: skipped, it is no system file (no key `tactus`)", file));
  report_.skipped.push_back(file);
}

void CheckTeller::finish(int status) {
  report_.status = status;
  switch (format_) {
    case CheckFormat::json:
      if (several_) {
        print_line({{"summary",
                     {{"files", summary_.files},
                      {"schedulable", summary_.schedulable},
                      {"unschedulable", summary_.unschedulable},
                      {"unproven", summary_.unproven},
                      {"bad", summary_.bad},
                      {"skipped", summary_.skipped},
                      {"status", status}}},
                    {"tactus_version", version()}});
      }
      break;
    case CheckFormat::junit:
      print(to_junit(report_));
      break;
    case CheckFormat::sarif:
      print(to_sarif(report_));
      break;
    case CheckFormat::text:
    case CheckFormat::github:
      if (summary_.files > 1) {
        print((first_ || format_ == CheckFormat::github ? "" : "\n") + summary_text(summary_) + "\n");
      }
      break;
  }
}

}  // namespace tactus::cli
