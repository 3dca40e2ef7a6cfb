// tactus check: does it hold?
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tactus/analysis/check.hpp"
#include "tactus/base/error.hpp"
#include "tactus/base/text.hpp"
#include "tactus/cli/check_formats.hpp"
#include "tactus/cli/input.hpp"
#include "tactus/cli/select.hpp"
#include "tactus/cli/system_files.hpp"
#include "tactus/cli/usage.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/io/outline.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/report/table.hpp"

namespace tactus::cli {

using analysis::Analysis;
using analysis::CheckedAnalysis;
using analysis::CheckResult;
using analysis::Verdict;

namespace {

constexpr std::string_view examples = R"(
Examples:
  tactus check robot.yaml                          every sound analysis that applies
  tactus check robot.yaml --analysis block-rta     one analysis by name (`tactus analyses` lists them)
  tactus check systems/                            every system file of a folder and of those below it
  tactus check systems/ --json                     the same, one JSON object a line
  tactus check systems/ --format junit             for pipelines: junit, sarif or github (docs/pipelines.md)
  tactus plan robot.yaml -o - | tactus check -     `-` is standard input, or standard output

Exit status: 0 schedulable, 1 not schedulable or not proven, 2 bad input.)";

struct CheckOptions {
  std::vector<std::string> paths;
  std::vector<std::string> analyses;
  bool json = false;
  std::string format = "text";
  bool verbose = false;
};

std::string text_or_dash(const std::optional<Duration>& duration) {
  return duration ? to_text(*duration) : "-";
}

/// The tasks with the smallest bounds that were proven.
std::string bounds_table(const System& system, const CheckResult& result) {
  report::Table table{{{"task", report::Align::left},
                       {"deadline", report::Align::right},
                       {"bound", report::Align::right},
                       {"slack", report::Align::right}}};
  const std::vector<std::optional<Duration>> bounds = analysis::smallest_bounds(system, result);
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    const std::optional<Duration> slack =
        bounds[i] && task.deadline ? std::optional{*task.deadline - *bounds[i]} : std::nullopt;
    table.add_row({task.name, text_or_dash(task.deadline), text_or_dash(bounds[i]), text_or_dash(slack)});
  }
  return table.to_text(wants_colour());
}

/// Why the answer has no say in the verdict.
std::string caveat(const Analysis& entry) {
  if (!entry.sound) return ", as published, not sound";
  if (!entry.run_time_model.empty()) return fmt::format(", only if {}", entry.run_time_model);
  return {};
}

std::string text_of(const System& system, const CheckResult& result, bool verbose) {
  std::string text =
      fmt::format("{}: {}\n\n{}\n", result.system, to_string(result.verdict), bounds_table(system, result));
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

/// One file, told. Its status; nothing when it lies in a folder and is no system file.
std::optional<int> check_file(const std::string& path, bool in_folder, const std::vector<Analysis>& selected,
                              bool verbose, CheckTeller& teller) {
  std::string name = path;
  try {
    const InputText input = read_input(path);
    name = input.name;
    if (in_folder && !io::is_meant_as_system(input.text)) {
      teller.skipped(path);
      return std::nullopt;
    }
    const ReadResult read = read_system(input.text, input.name, needed_for(selected));
    if (!read.system) throw InputError{read.problems};
    const System& system = *read.system;
    const CheckResult result = selected.empty() ? analysis::check(system) : analysis::check(system, selected);
    teller.checked(input.name, input.text, system, result, text_of(system, result, verbose));
    return status_of(result);
  } catch (const InputError& error) {
    teller.bad(name, error);
    return wrong_question;
  }
}

InputError no_system_files(const std::string& folder) {
  return InputError{{Problem{.file = folder,
                             .line = 1,
                             .column = 1,
                             .message = "no system files (*.yaml, *.yml) in this folder",
                             .hint = "a system file has the key `tactus`",
                             .id = ProblemId::no_system_files}}};
}

int run(const CheckOptions& options) {
  if (options.json && options.format != "text" && options.format != "json") {
    throw InputError{"--json and --format " + options.format + " exclude each other", "keep one"};
  }
  std::vector<Analysis> selected;
  for (const Analysis* entry : select_analyses(options.analyses)) selected.push_back(*entry);
  std::vector<NamedFiles> all;
  for (const std::string& path : options.paths) all.push_back(find_files(path));
  CheckTeller teller{options.json ? CheckFormat::json : check_format_named(options.format),
                     all.size() > 1 || all.front().is_folder};
  int status = answer_yes;
  for (const NamedFiles& named : all) {
    bool any = false;
    for (const Problem& problem : named.problems) {
      teller.bad(problem.file, InputError{{problem}});
      status = wrong_question;
      any = true;
    }
    for (const std::string& file : named.files) {
      const std::optional<int> answer = check_file(file, named.is_folder, selected, options.verbose, teller);
      status = std::max(status, answer.value_or(answer_yes));
      any = any || answer.has_value();
    }
    if (!any) {
      teller.bad(named.named, no_system_files(named.named));
      status = wrong_question;
    }
  }
  teller.finish(status);
  return status;
}

}  // namespace

void add_check(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("check", "Does it hold? Proves whether every deadline is met");
  const auto options = std::make_shared<CheckOptions>();
  verb->add_option("FILE", options->paths, "System files, folders of them, or - for standard input")
      ->required();
  verb->add_option("--analysis", options->analyses, "Only these analyses (ids, separated by commas)")
      ->delimiter(',')
      ->expected(1)
      ->take_all();
  verb->add_flag("--json", options->json, "JSON for machines, one object a line: --format json");
  verb->add_option("--format", options->format, "text, json, junit, sarif or github (default text)")
      ->check(one_of(check_format_words()));
  verb->add_flag("-v,--verbose", options->verbose, "Also why analyses do not apply");
  verb->footer(std::string{examples});
  verb->callback([&action, options] { action = [options] { return run(*options); }; });
}

}  // namespace tactus::cli
