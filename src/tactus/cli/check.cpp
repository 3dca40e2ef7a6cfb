// tactus check: does it hold?
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tactus/analysis/check.hpp"
#include "tactus/base/error.hpp"
#include "tactus/base/text.hpp"
#include "tactus/cli/check_text.hpp"
#include "tactus/cli/hints.hpp"
#include "tactus/cli/overrides.hpp"
#include "tactus/cli/select.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/io/system_file.hpp"

namespace tactus::cli {

namespace fs = std::filesystem;
using analysis::Analysis;
using analysis::CheckResult;
using analysis::Verdict;

namespace {

constexpr std::string_view examples = R"(
Examples:
  tactus check robot.yaml                          every sound analysis that applies
  tactus check robot.yaml --analysis block-rta     one analysis by name (`tactus analyses` lists them)
  tactus check systems/ --json                     every system file of a folder, one JSON object a line
  tactus check robot.yaml --strategy multi-stream  another strategy, for this once
  tactus check robot.yaml --set tasks.lidar.deadline=20ms --set platform.gpu.sms=4

Where the answer is not yes, what would help is tried: longer deadlines, more speed, other strategies.
`holds` as a bound: the deadline is proven, no response time is.

Exit status: 0 schedulable, 1 not schedulable or not proven, 2 bad input.)";

struct CheckOptions {
  std::vector<std::string> paths;
  std::vector<std::string> analyses;
  bool json = false;
  bool verbose = false;
  bool no_hints = false;
  OverrideOptions overrides;
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

/// What would help is sought for a few files only, and by all analyses or not at all.
bool wants_hints(const CheckOptions& options, const System& system, const CheckResult& result,
                 std::size_t files) {
  constexpr std::size_t few_files = 4;
  return result.verdict != Verdict::schedulable && !options.no_hints && options.analyses.empty() &&
         files <= few_files && system.tasks.size() <= most_hinted_tasks;
}

int run(const CheckOptions& options) {
  std::vector<Analysis> selected;
  for (const Analysis* entry : select_analyses(options.analyses)) selected.push_back(*entry);
  const std::vector<fs::path> files = expand(options.paths);
  const std::vector<Override> overrides = options.overrides.changes();
  int status = answer_yes;
  bool first = true;
  for (const fs::path& file : files) {
    try {
      const System system = load(file, needed_for(selected), overrides);
      const CheckResult result =
          selected.empty() ? analysis::check(system) : analysis::check(system, selected);
      const bool hinted = wants_hints(options, system, result, files.size());
      if (options.json) {
        nlohmann::ordered_json json = to_json(result);
        if (hinted) json["hints"] = to_json(plan::find_hints(system, result, hint_watch()), system);
        print(json.dump() + "\n");
      } else {
        print((first ? "" : "\n") + check_text(system, result, {options.verbose, !selected.empty()}));
        if (hinted) {
          std::fflush(stdout);  // the answer does not wait for what would help
          const plan::Hints hints = plan::find_hints(system, result, hint_watch());
          print("\n" + hints_text(hints, system, file.string(), options.overrides));
        }
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
      ->delimiter(',')
      ->expected(1)
      ->take_all();
  verb->add_flag("--json", options->json, "JSON for machines, one object a line");
  verb->add_flag("-v,--verbose", options->verbose,
                 "Also analyses of other strategies, and why some do not apply");
  verb->add_flag("--no-hints", options->no_hints,
                 "Do not look for what would help (up to 2 s where it does not hold)");
  add_override_options(*verb, options->overrides);
  verb->footer(std::string{examples});
  verb->callback([&action, options] { action = [options] { return run(*options); }; });
}

}  // namespace tactus::cli
