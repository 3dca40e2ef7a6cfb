// The report of `check` as SARIF 2.1.0.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tactus/base/version.hpp"
#include "tactus/report/check_report.hpp"
#include "tactus/report/glossary.hpp"
#include "tactus/report/problem_help.hpp"

namespace tactus::report {

using nlohmann::ordered_json;

namespace {

/// A path as a URI: relative ones stay relative.
std::string uri_of(std::string_view path) {
  std::string uri{path.starts_with('/') ? "file://" : ""};
  for (const char c : path) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                          std::string_view{"/-._~"}.find(c) != std::string_view::npos;
    if (is_plain) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return uri;
}

ordered_json artifact_of(std::string_view path) {
  ordered_json artifact{{"uri", uri_of(path)}};
  if (!path.starts_with('/')) artifact["uriBaseId"] = "%SRCROOT%";
  return artifact;
}

ordered_json text_of(std::string_view text) { return {{"text", text}}; }

/// The rules and the index of each.
struct Rules {
  ordered_json list = ordered_json::array();
  std::map<std::string, std::size_t, std::less<>> index;

  void add(std::string_view id, std::string_view title, std::string_view meaning, std::string_view help) {
    index.emplace(id, list.size());
    list.push_back({{"id", id},
                    {"shortDescription", text_of(title)},
                    {"fullDescription", text_of(meaning)},
                    {"help", text_of(help)},
                    {"defaultConfiguration", {{"level", "error"}}}});
  }
};

Rules all_rules() {
  Rules rules;
  for (const std::string_view verdict : {"unschedulable", "unproven"}) {
    const Term* term = find_term(verdict);
    rules.add(verdict, fmt::format("a system that is {}", verdict), term->meaning,
              "The message names the task and what stands against it.");
  }
  for (const ProblemHelp& help : problem_helps()) {
    rules.add(to_string(help.id), help.title, help.meaning, help.mending);
  }
  return rules;
}

}  // namespace

std::string to_sarif(const CheckReport& report) {
  const Rules rules = all_rules();
  ordered_json results = ordered_json::array();
  for (const FileReport& file : report.files) {
    for (const Remark& remark : file.remarks) {
      const ordered_json location{
          {"physicalLocation",
           {{"artifactLocation", artifact_of(file.file)},
            {"region", {{"startLine", remark.line}, {"startColumn", remark.column}}}}}};
      results.push_back(
          {{"ruleId", remark.id},
           {"ruleIndex", rules.index.at(remark.id)},
           {"level", "error"},
           {"message", text_of(remark.message + (remark.hint.empty() ? "" : "\n" + remark.hint))},
           {"locations", ordered_json::array({location})}});
    }
  }
  ordered_json notes = ordered_json::array();
  for (const std::string& path : report.skipped) {
    const ordered_json location{{"physicalLocation", {{"artifactLocation", artifact_of(path)}}}};
    notes.push_back({{"level", "note"},
                     {"message", text_of("skipped: this is no system file")},
                     {"locations", ordered_json::array({location})}});
  }
  const ordered_json run{
      {"tool", {{"driver", {{"name", "tactus"}, {"version", version()}, {"rules", rules.list}}}}},
      {"columnKind", "unicodeCodePoints"},
      {"invocations", ordered_json::array({{{"executionSuccessful", true},
                                            {"exitCode", report.status},
                                            {"toolExecutionNotifications", notes}}})},
      {"results", results}};
  const ordered_json log{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                         {"version", "2.1.0"},
                         {"runs", ordered_json::array({run})}};
  constexpr int indent = 2;
  return log.dump(indent, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace tactus::report
