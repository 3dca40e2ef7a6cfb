#include "tactus/report/check_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"

namespace tactus::report {

using analysis::CheckedAnalysis;
using analysis::CheckResult;
using analysis::Verdict;

namespace {

/// " because of 'a'" where the reason of a result is about another task than this one.
std::string because_of_another(const analysis::Result& result, const std::string& task) {
  const auto fact = std::ranges::find(result.detail, "task", &analysis::Fact::name);
  const auto* name = fact == result.detail.end() ? nullptr : std::get_if<std::string>(&fact->value);
  return name == nullptr || *name == task ? "" : " because of '" + *name + "'";
}

/// Why a task is not proven, as the analyses report it.
std::string reasons(const System& system, const CheckResult& result, const std::string& task) {
  std::string text;
  std::string why_not;
  for (const auto& [entry, answer] : result.analyses) {
    if (!answer.applies()) {
      if (is_for_other_strategy(entry, system)) continue;
      why_not += fmt::format("{}{}: {}", why_not.empty() ? "" : "; ", entry.id, answer.why_not);
    } else if (answer.verdict != Verdict::schedulable && !answer.reason.empty()) {
      text += fmt::format("{}{}: {}{}; {}", text.empty() ? "" : "\n", entry.id, to_string(*answer.verdict),
                          because_of_another(answer, task), answer.reason);
    }
  }
  const bool any_applies =
      std::any_of(result.analyses.begin(), result.analyses.end(),
                  [](const CheckedAnalysis& checked) { return checked.result.applies(); });
  if (any_applies) return text;
  return why_not.empty() ? "no analysis applies" : "no analysis applies: " + why_not;
}

bool is_proven(const CheckResult& result, std::size_t task) {
  return std::any_of(result.analyses.begin(), result.analyses.end(), [&](const CheckedAnalysis& checked) {
    return checked.result.applies() && counts_for_verdict(checked.analysis) &&
           task < checked.result.tasks.size() && checked.result.tasks[task].ok;
  });
}

/// That of the system, but where it is unschedulable only because of other tasks.
Verdict verdict_of(const std::string& task, const CheckResult& result) {
  const bool is_refuted = std::ranges::any_of(result.analyses, [&](const CheckedAnalysis& checked) {
    return counts_for_verdict(checked.analysis) && checked.result.verdict == Verdict::unschedulable &&
           because_of_another(checked.result, task).empty();
  });
  return result.verdict == Verdict::unschedulable && !is_refuted ? Verdict::unproven : result.verdict;
}

/// For GitHub: a command is one line with the separators `:` and `,`, which are percent-encoded. Control
/// characters are replaced.
std::string escaped(std::string_view text, bool is_property) {
  std::string result;
  for (const char c : text) {
    const bool divides = is_property && (c == ':' || c == ',');
    if (c == '%' || c == '\r' || c == '\n' || divides) {
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return shown(result);
}

}  // namespace

FileReport report_of(const std::string& file, const std::vector<Problem>& problems) {
  FileReport report{.file = file, .verdict = std::nullopt, .remarks = {}};
  for (const Problem& problem : problems) {
    report.remarks.push_back({.id = std::string{to_string(problem.id)},
                              .line = std::max(problem.line, 1),
                              .column = std::max(problem.column, 1),
                              .message = problem.message,
                              .hint = problem.hint});
  }
  return report;
}

FileReport report_of(const std::string& file, const System& system, const CheckResult& result,
                     const std::vector<io::TextPosition>& places,
                     const std::vector<io::TextPosition>& chain_places) {
  FileReport report{.file = file, .verdict = result.verdict, .remarks = {}};
  if (result.verdict == Verdict::schedulable) return report;
  const std::string id{to_string(result.verdict)};
  const std::vector<std::optional<Duration>> bounds = analysis::smallest_bounds(system, result);
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    if (!task.deadline || is_proven(result, i)) continue;
    const io::TextPosition place = i < places.size() ? places[i] : io::TextPosition{};
    const std::string task_id{to_string(verdict_of(task.name, result))};
    report.remarks.push_back(
        {.id = task_id,
         .line = place.line,
         .column = place.column,
         .message = fmt::format("task '{}' is {}: {} deadline of {}", task.name, task_id,
                                bounds[i] ? "its bound of " + to_text(*bounds[i]) + " passes its"
                                          : "nothing is proven about its",
                                to_text(*task.deadline)),
         .hint = reasons(system, result, task.name)});
  }
  for (std::size_t i = 0; i < result.chains.size(); ++i) {
    const analysis::EffectResult& chain = result.chains[i];
    if (chain.ok()) continue;
    const io::TextPosition place = i < chain_places.size() ? chain_places[i] : io::TextPosition{};
    const std::string chain_id{to_string(chain.verdict)};
    report.remarks.push_back({.id = chain_id,
                              .line = place.line,
                              .column = place.column,
                              .message = fmt::format("chain '{}' is {}", chain.name, chain_id),
                              .hint = chain.reason});
  }
  if (report.remarks.empty()) {
    report.remarks.push_back({.id = id,
                              .line = 1,
                              .column = 1,
                              .message = fmt::format("{} is {}", system.name, id),
                              .hint = reasons(system, result, {})});
  }
  return report;
}

void add_left_out(FileReport& report, const std::vector<LeftOut>& left_out) {
  for (const LeftOut& one : left_out) {
    report.remarks.push_back({.id = std::string{to_string(Verdict::unproven)},
                              .line = one.line,
                              .column = one.column,
                              .message = "the model is not proven: " + one.text,
                              .hint = "import it, look at what is left out, and check the system file"});
  }
}

void CheckSummary::count(const std::optional<Verdict>& verdict) {
  ++files;
  if (!verdict) {
    ++bad;
  } else if (*verdict == Verdict::schedulable) {
    ++schedulable;
  } else if (*verdict == Verdict::unschedulable) {
    ++unschedulable;
  } else {
    ++unproven;
  }
}

std::string summary_text(const CheckSummary& summary) {
  std::string text = fmt::format("{} file{}:", with_thousands(summary.files), summary.files == 1 ? "" : "s");
  std::string separator = " ";
  const auto add = [&](std::size_t count, std::string_view what) {
    if (count == 0) return;
    text += fmt::format("{}{} {}", separator, with_thousands(count), what);
    separator = ", ";
  };
  add(summary.schedulable, "schedulable");
  add(summary.unschedulable, "unschedulable");
  add(summary.unproven, "unproven");
  add(summary.bad, "with problems");
  if (summary.skipped > 0) text += fmt::format("; {} skipped", with_thousands(summary.skipped));
  return text + ".";
}

std::string to_github(const FileReport& report) {
  std::string text;
  for (const Remark& remark : report.remarks) {
    const std::string message = remark.message + (remark.hint.empty() ? "" : "\n" + remark.hint);
    text += fmt::format("::error file={},line={},col={},title={}::{}\n", escaped(report.file, true),
                        remark.line, remark.column, escaped(remark.id, true), escaped(message, false));
  }
  return text;
}

}  // namespace tactus::report
