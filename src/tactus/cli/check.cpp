// tactus check: are all deadlines met?
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tactus/analysis/check.hpp"
#include "tactus/base/error.hpp"
#include "tactus/cli/check_formats.hpp"
#include "tactus/cli/hints.hpp"
#include "tactus/cli/input.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/io/document.hpp"
#include "tactus/io/system_file.hpp"

namespace tactus::cli {

using analysis::Analysis;
using analysis::CheckResult;
using analysis::Verdict;

namespace {

constexpr std::string_view examples = R"(
Examples:
  tactus check robot.yaml                          every sound analysis that applies
  tactus check robot.yaml --analysis block-rta     one analysis by name (`tactus analyses` lists them)
  tactus check systems/                            every system file and model of a folder and of those below it
  tactus check systems/ --json                     the same, one JSON object a line
  tactus check systems/ --format junit             for pipelines: junit, sarif or github (docs/pipelines.md)
  tactus plan robot.yaml -o - | tactus check -     `-` is standard input, or standard output
  tactus check robot.yaml --strategy multi-stream  another strategy, for this once
  tactus check robot.yaml --set tasks.lidar.deadline=20ms --set platform.gpu.sms=4

Where the answer is not yes, what would help is tried: longer deadlines, more speed, work that
waits on its SMs (`dispatch`), other strategies.
`holds` as a bound: the deadline is proven, no response time is.
The limits of `chains` (reaction time, data age) count like deadlines.

Exit status: 0 schedulable, 1 not schedulable or not proven, 2 bad input.)";

struct CheckOptions {
  std::vector<std::string> paths;
  std::vector<std::string> analyses;
  bool json = false;
  std::string format = "text";
  bool verbose = false;
  bool all = false;
  bool no_hints = false;
  OverrideOptions overrides;
};

/// Analyses that search for the number of virtual SMs do not need it in the file.
Completeness needed_for(const std::vector<Analysis>& selected) {
  const bool all_search =
      !selected.empty() &&
      std::all_of(selected.begin(), selected.end(), [](const Analysis& entry) { return entry.searches_sms; });
  return all_search ? Completeness::without_virtual_sms : Completeness::complete;
}

int status_of(const CheckResult& result) {
  return result.verdict == Verdict::schedulable ? answer_yes : answer_no;
}

/// How the files are checked.
struct Question {
  std::vector<Analysis> selected;
  std::vector<Override> overrides;
  CheckFormat format = CheckFormat::text;
  std::size_t files = 0;
};

/// Hints are searched for a few files only, and only if no analyses were named.
bool wants_hints(const CheckOptions& options, const System& system, const CheckResult& result,
                 const Question& question) {
  constexpr std::size_t few_files = 4;
  return result.verdict != Verdict::schedulable && !options.no_hints && options.analyses.empty() &&
         question.files <= few_files && system.tasks.size() <= max_hinted_tasks &&
         (question.format == CheckFormat::text || question.format == CheckFormat::json);
}

/// Checks and reports one file. Returns its status; nothing for a file in a folder that is not a system file.
std::optional<int> check_file(const std::string& path, bool in_folder, const CheckOptions& options,
                              const Question& question, CheckTeller& teller) {
  std::string name = path;
  try {
    const std::vector<Analysis>& selected = question.selected;
    const SystemText input = read_system_input(path, needed_for(selected), options.overrides.chains);
    name = input.name;
    if (in_folder && !io::is_meant_as_system(input.text)) {
      teller.skipped(path);
      return std::nullopt;
    }
    const ReadResult read = read_system(input.text, input.name, needed_for(selected), question.overrides);
    if (!read.system) throw InputError{read.problems};
    const System& system = *read.system;
    CheckResult result = selected.empty() ? analysis::check(system) : analysis::check(system, selected);
    const bool hinted = wants_hints(options, system, result, question);
    // What was imported may hold where the model does not.
    if (!input.left_out.empty() && result.verdict == Verdict::schedulable) result.verdict = Verdict::unproven;
    if (input.is_stricter && result.verdict == Verdict::unschedulable) result.verdict = Verdict::unproven;
    CheckAnswer answer{.text = check_text(system, result, {options.verbose, !selected.empty(), options.all}),
                       .hints = {},
                       .is_made = input.is_made,
                       .left_out = input.left_out};
    const bool is_text = question.format == CheckFormat::text;
    if (hinted && !is_text) answer.hints = plan::find_hints(system, result, hint_watch());
    teller.checked(input.name, input.text, system, result, answer);
    if (hinted && is_text) {
      flush_output();  // the answer is shown before the search for hints
      print_text("\n" +
                 hints_text(plan::find_hints(system, result, hint_watch()), system, path, options.overrides));
    }
    return status_of(result);
  } catch (const InputError& error) {
    teller.bad(name, error);
    return wrong_question;
  }
}

InputError no_system_files(const std::string& folder) {
  return InputError{
      {Problem{.file = folder,
               .line = 1,
               .column = 1,
               .message = "no system files (*.yaml, *.yml) and no models (*.amxmi) in this folder",
               .hint = "a system file has the key `tactus`",
               .id = ProblemId::no_system_files}}};
}

int run(const CheckOptions& options) {
  if (options.json && options.format != "text" && options.format != "json") {
    throw InputError{"--json and --format " + options.format + " exclude each other", "keep one"};
  }
  Question question{.selected = {},
                    .overrides = options.overrides.changes(),
                    .format = options.json ? CheckFormat::json : check_format_named(options.format)};
  for (const Analysis* entry : select_analyses(options.analyses)) question.selected.push_back(*entry);
  std::vector<NamedFiles> all;
  for (const std::string& path : options.paths) {
    all.push_back(find_files(path));
    question.files += all.back().files.size();
  }
  CheckTeller teller{question.format, all.size() > 1 || all.front().is_folder};
  int status = answer_yes;
  for (const NamedFiles& named : all) {
    bool any = false;
    for (const Problem& problem : named.problems) {
      teller.bad(problem.file, InputError{{problem}});
      status = wrong_question;
      any = true;
    }
    for (const std::string& file : named.files) {
      const std::optional<int> answer = check_file(file, named.is_folder, options, question, teller);
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

void add_check(Verb app) {
  const Verb verb = app.add_verb("check", "Does it hold? Proves whether every deadline is met");
  const auto options = std::make_shared<CheckOptions>();
  verb.add_option("FILE", options->paths,
                  "System files, folders of them, AMALTHEA models, or - for standard input")
      .required();
  verb.add_option("--analysis", options->analyses, "Only these analyses (ids, separated by commas)")
      .type_name("ANALYSIS")
      .delimiter(',')
      .repeats();
  verb.add_flag("--json", options->json, "JSON for machines, one object a line: --format json");
  verb.add_option("--format", options->format, "text, json, junit, sarif or github (default text)")
      .one_of(check_format_words());
  verb.add_flag("--all", options->all, "Every task of a long table, in file order");
  verb.add_flag("-v,--verbose", options->verbose,
                "Also analyses of other strategies, and why some do not apply");
  verb.add_flag("--no-hints", options->no_hints,
                "Do not look for what would help (up to 2 s where it does not hold)");
  add_override_options(verb, options->overrides);
  verb.footer(examples);
  verb.runs([options] { return run(*options); });
}

}  // namespace tactus::cli
