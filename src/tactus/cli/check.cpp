// tactus check: does it hold?
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tactus/analysis/check.hpp"
#include "tactus/base/error.hpp"
#include "tactus/base/text.hpp"
#include "tactus/cli/select.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/cli/worst_tasks.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/report/table.hpp"

namespace tactus::cli {

namespace fs = std::filesystem;
using analysis::Analysis;
using analysis::CheckedAnalysis;
using analysis::CheckResult;
using analysis::Verdict;

namespace {

constexpr std::string_view examples = R"(
Examples:
  tactus check robot.yaml                          every sound analysis that applies
  tactus check robot.yaml --analysis block-rta     one analysis by name (`tactus analyses` lists them)
  tactus check systems/ --json                     every system file of a folder, one JSON object a line

Exit status: 0 schedulable, 1 not schedulable or not proven, 2 bad input.)";

struct CheckOptions {
  std::vector<std::string> paths;
  std::vector<std::string> analyses;
  bool json = false;
  bool verbose = false;
  bool all = false;
};

/// Files as named; folders stand for the system files in them, in the order of their names.
std::vector<fs::path> expand(const std::vector<std::string>& paths) {
  std::vector<fs::path> files;
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) {
      files.emplace_back(path);
      continue;
    }
    std::vector<fs::path> found;
    std::error_code failed;
    for (fs::directory_iterator entry{path, failed}, end; !failed && entry != end; entry.increment(failed)) {
      if (fs::is_directory(entry->path(), ignored)) continue;
      const fs::path extension = entry->path().extension();
      if (extension == ".yaml" || extension == ".yml") found.push_back(entry->path());
    }
    if (failed) throw InputError{path + ": cannot be read: " + failed.message()};
    if (found.empty()) throw InputError{path + ": no system files (*.yaml, *.yml) in this folder"};
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

std::string text_or_dash(const std::optional<Duration>& duration) {
  return duration ? to_text(*duration) : "-";
}

/// The tasks with the smallest bounds that were proven.
std::string bounds_table(const System& system, const CheckResult& result, bool all) {
  report::Table table{{{"task", report::Align::left},
                       {"deadline", report::Align::right},
                       {"bound", report::Align::right},
                       {"slack", report::Align::right}}};
  const std::vector<std::optional<Duration>> bounds = analysis::smallest_bounds(system, result);
  std::vector<Standing> standings;
  standings.reserve(system.tasks.size());
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    const std::optional<Duration>& deadline = system.tasks[i].deadline;
    standings.push_back({.in_order = bounds[i] || !deadline,
                         .slack = bounds[i] && deadline ? *deadline - *bounds[i] : Duration::max()});
  }
  const ShownTasks shown = shown_tasks(standings, all);
  for (const std::size_t i : shown.tasks) {
    const Task& task = system.tasks[i];
    table.add_row({task.name, text_or_dash(task.deadline),
                   bounds[i] ? rounded_up_text(*bounds[i], task.deadline) : "-",
                   bounds[i] && task.deadline ? rounded_text(standings[i].slack, Rounding::down) : "-"});
  }
  return table.to_text(wants_colour(), text_width()) + shown.note;
}

std::string verdict_text(Verdict verdict) {
  const report::Tone tone = verdict == Verdict::schedulable ? report::Tone::good : report::Tone::bad;
  return report::toned(std::string{to_string(verdict)}, tone, wants_colour());
}

/// Why the answer has no say in the verdict.
std::string caveat(const Analysis& entry) {
  if (!entry.sound) return ", as published, not sound";
  if (!entry.run_time_model.empty()) return fmt::format(", only if {}", entry.run_time_model);
  return {};
}

std::string text_of(const System& system, const CheckResult& result, bool verbose, bool all) {
  std::string text = fmt::format("{}: {}\n\n{}\n", result.system, verdict_text(result.verdict),
                                 bounds_table(system, result, all));
  std::size_t folded = 0;
  const bool none_applies =
      std::none_of(result.analyses.begin(), result.analyses.end(),
                   [](const CheckedAnalysis& checked) { return checked.result.applies(); });
  for (const auto& [entry, answer] : result.analyses) {
    if (answer.applies()) {
      text += fmt::format("{} ({}{}): {}; {}.\n", entry.id, to_string(entry.kind), caveat(entry),
                          to_string(*answer.verdict), answer.reason);
    } else if (verbose || none_applies) {
      text += fmt::format("{} does not apply: {}.\n", entry.id, answer.why_not);
    } else {
      ++folded;
    }
  }
  if (folded > 0)
    text += fmt::format("{} not apply; --verbose says why.\n",
                        folded == 1 ? "1 analysis does" : fmt::format("{} analyses do", folded));
  return text;
}

/// Tests that find virtual SMs themselves do not need them in the file.
Completeness needed_for(const std::vector<Analysis>& selected) {
  const bool all_search =
      !selected.empty() &&
      std::all_of(selected.begin(), selected.end(), [](const Analysis& entry) { return entry.searches_sms; });
  return all_search ? Completeness::without_virtual_sms : Completeness::complete;
}

/// Several named analyses: "does not apply" is a no only if none of them does.
int status_of(const CheckResult& result) {
  return result.verdict == Verdict::schedulable ? answer_yes : answer_no;
}

int run(const CheckOptions& options) {
  std::vector<Analysis> selected;
  for (const Analysis* entry : select_analyses(options.analyses)) selected.push_back(*entry);
  const std::vector<fs::path> files = expand(options.paths);
  int status = answer_yes;
  bool first = true;
  for (const fs::path& file : files) {
    try {
      const System system = load(file, needed_for(selected));
      const CheckResult result =
          selected.empty() ? analysis::check(system) : analysis::check(system, selected);
      if (options.json) {
        print(to_json(result).dump() + "\n");
      } else {
        print_text((first ? "" : "\n") + text_of(system, result, options.verbose, options.all));
      }
      first = false;
      status = std::max(status, status_of(result));
    } catch (const InputError& error) {
      say(error.what());
      status = wrong_question;
    }
  }
  return status;
}

}  // namespace

void add_check(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("check", "Does it hold? Proves whether every deadline is met");
  const auto options = std::make_shared<CheckOptions>();
  verb->add_option("FILE", options->paths, "System files, or folders of them")->required();
  verb->add_option("--analysis", options->analyses, "Only these analyses (ids, separated by commas)")
      ->type_name("ANALYSIS")
      ->delimiter(',')
      ->expected(1)
      ->take_all();
  verb->add_flag("--json", options->json, "JSON for machines, one object a line");
  verb->add_flag("--all", options->all, "Every task of a long table, in file order");
  verb->add_flag("-v,--verbose", options->verbose, "Also why analyses do not apply");
  verb->footer(std::string{examples});
  verb->callback([&action, options] { action = [options] { return run(*options); }; });
}

}  // namespace tactus::cli
