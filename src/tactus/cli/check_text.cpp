#include "tactus/cli/check_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "tactus/base/text.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/cli/worst_tasks.hpp"
#include "tactus/report/table.hpp"
#include "tactus/sched/core.hpp"

namespace tactus::cli {

using analysis::Analysis;
using analysis::CheckedAnalysis;
using analysis::CheckResult;
using analysis::ProvenBound;
using analysis::Verdict;

namespace {

/// The tasks with their smallest proven bounds.
std::string bounds_table(const System& system, const CheckResult& result, bool all) {
  report::Table table{{{"task", report::Align::left},
                       {"deadline", report::Align::right},
                       {"bound", report::Align::right},
                       {"slack", report::Align::right}}};
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

}  // namespace

std::string check_text(const System& system, const CheckResult& result, const CheckTextOptions& options) {
  std::string text = fmt::format("{}: {}\n\n{}\n", result.system, verdict_text(result.verdict),
                                 bounds_table(system, result, options.all));
  std::size_t folded = 0;
  const bool none_applies =
      std::none_of(result.analyses.begin(), result.analyses.end(),
                   [](const CheckedAnalysis& checked) { return checked.result.applies(); });
  for (const auto& [entry, answer] : result.analyses) {
    if (answer.applies()) {
      text += fmt::format("{} ({}{}): {}; {}.\n", entry.id, to_string(kind_here(entry, answer)),
                          caveat(entry), to_string(*answer.verdict), answer.reason);
    } else if (is_for_other_strategy(entry, system) && !options.chosen && !options.verbose) {
      continue;
    } else if (options.verbose || options.chosen || none_applies) {
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

}  // namespace tactus::cli
