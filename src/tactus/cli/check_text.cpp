#include "tactus/cli/check_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "tactus/base/text.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/report/table.hpp"
#include "tactus/sched/core.hpp"

namespace tactus::cli {

using analysis::Analysis;
using analysis::CheckedAnalysis;
using analysis::CheckResult;
using analysis::ProvenBound;

namespace {

std::string text_or_dash(const std::optional<Duration>& duration) {
  return duration ? to_text(*duration) : "-";
}

/// The tasks with the smallest bounds that were proven.
std::string bounds_table(const System& system, const CheckResult& result) {
  report::Table table{{{"task", report::Align::left},
                       {"deadline", report::Align::right},
                       {"bound", report::Align::right},
                       {"slack", report::Align::right}}};
  const std::vector<ProvenBound> bounds = analysis::proven_bounds(system, result);
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    const ProvenBound& proven = bounds[i];
    if (proven.deadline_only) {
      table.add_row({task.name, text_or_dash(task.deadline), "holds", "-"});
      continue;
    }
    const std::optional<Duration> slack =
        proven.bound && task.deadline ? std::optional{*task.deadline - *proven.bound} : std::nullopt;
    table.add_row({task.name, text_or_dash(task.deadline), text_or_dash(proven.bound), text_or_dash(slack)});
  }
  return table.to_text(wants_colour());
}

/// Why the answer has no say in the verdict.
std::string caveat(const Analysis& entry) {
  if (!entry.sound) return ", as published, not sound";
  if (!entry.run_time_model.empty()) return fmt::format(", only if {}", entry.run_time_model);
  return {};
}

}  // namespace

std::string check_text(const System& system, const CheckResult& result, const CheckTextOptions& options) {
  std::string text =
      fmt::format("{}: {}\n\n{}\n", result.system, to_string(result.verdict), bounds_table(system, result));
  std::size_t folded = 0;
  const bool none_applies =
      std::none_of(result.analyses.begin(), result.analyses.end(),
                   [](const CheckedAnalysis& checked) { return checked.result.applies(); });
  for (const auto& [entry, answer] : result.analyses) {
    if (answer.applies()) {
      text += fmt::format("{} ({}{}): {}; {}.\n", entry.id, to_string(kind_here(entry, answer)),
                          caveat(entry), to_string(*answer.verdict), answer.reason);
    } else if (is_for_other_strategy(answer) && !options.chosen && !options.verbose) {
      continue;
    } else if (options.verbose || none_applies) {
      text += fmt::format("{} does not apply: {}.\n", entry.id, answer.why_not);
    } else {
      ++folded;
    }
  }
  const bool none_is_about_it = !options.chosen && std::all_of(result.analyses.begin(), result.analyses.end(),
                                                               [](const CheckedAnalysis& checked) {
                                                                 return is_for_other_strategy(checked.result);
                                                               });
  if (none_is_about_it) {
    text += fmt::format("No analysis is about the strategy {} yet.\n",
                        sched::strategy_name(system.policy.strategy));
  }
  if (folded > 0) {
    text += fmt::format("{} not apply; --verbose says why.\n",
                        folded == 1 ? "1 analysis does" : fmt::format("{} analyses do", folded));
  }
  return text;
}

}  // namespace tactus::cli
