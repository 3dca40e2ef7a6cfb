#include "tactus/cli/check_formats.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "tactus/analysis/json.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/base/version.hpp"
#include "tactus/cli/messages.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/io/document.hpp"
#include "tactus/plan/json.hpp"

namespace tactus::cli {

using nlohmann::ordered_json;

namespace {

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

void CheckTeller::checked(const std::string& file, const std::string& source, const System& system,
                          const analysis::CheckResult& result, const CheckAnswer& answer) {
  summary_.count(result.verdict);
  switch (format_) {
    case CheckFormat::text:
      print_text((first_ ? "" : "\n") + answer.text);
      break;
    case CheckFormat::json: {
      ordered_json line = line_of(file);
      line.update(to_json(result));
      if (answer.hints) line["hints"] = to_json(*answer.hints, system);
      print_line(line);
      break;
    }
    case CheckFormat::junit:
    case CheckFormat::sarif:
    case CheckFormat::github:
      tell(report::report_of(file, system, result,
                             result.verdict == analysis::Verdict::schedulable
                                 ? std::vector<io::TextPosition>{}
                                 : io::task_places(source)));
      break;
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
