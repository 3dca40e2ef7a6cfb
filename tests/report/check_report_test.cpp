// The formats for pipelines: well-formed whatever the names hold, and with the shape their readers expect.
#include "tactus/report/check_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/xml.hpp"
#include "tactus/io/document.hpp"
#include "tactus/io/system_file.hpp"

namespace tactus::report {
namespace {

using analysis::Verdict;
using nlohmann::json;
using testing::HasSubstr;

constexpr const char* late = R"(tactus: 1
name: late
platform: jetson-tx2
tasks:
  - {name: fine, arrival: once, deadline: 10ms, kernel: {grid: 1, block: 32, block_time: 1ms}}
  - {name: slow, arrival: once, deadline: 2ms, kernel: {grid: 1, block: 32, block_time: 3ms}}
)";

FileReport report_of_text(const std::string& file, const std::string& text) {
  const ReadResult read = read_system(text, file);
  if (!read.system) return report_of(file, read.problems);
  return report_of(file, *read.system, analysis::check(*read.system), io::task_places(text));
}

const FileReport good{.file = "good.yaml", .verdict = Verdict::schedulable, .remarks = {}};
const FileReport nasty{.file = "a b,c:d%<&>\"'\n\x1b\xff.yaml",
                       .verdict = std::nullopt,
                       .remarks = {{.id = "unknown-key",
                                    .line = 3,
                                    .column = 7,
                                    .message = "50% of ]]> <b> & \x01 \xff :: x,y\r\nnext",
                                    .hint = "::error::no"}}};

TEST(CheckReport, AChainIsToldAtItsPlace) {
  const std::string text = R"(tactus: 1
platform: jetson-tx2
policy: {strategy: single-stream}
tasks: [{name: a, period: 10ms, exclusive: 1ms}, {name: b, period: 20ms, exclusive: 2ms}]
chains:
  - {name: fine, tasks: [a, b], reaction: 1s}
  - {name: long, tasks: [b, a], reaction: 30ms}
)";
  const System system = *read_system(text, "chains.yaml").system;
  const FileReport report = report_of("chains.yaml", system, analysis::check(system), io::task_places(text),
                                      io::chain_places(text));
  EXPECT_EQ(report.verdict, Verdict::unproven);
  ASSERT_EQ(report.remarks.size(), 1U);
  EXPECT_EQ(report.remarks[0].id, "unproven");
  EXPECT_EQ(report.remarks[0].line, 7);
  EXPECT_EQ(report.remarks[0].column, 12);
  EXPECT_EQ(report.remarks[0].message, "chain 'long' is unproven");
  EXPECT_THAT(report.remarks[0].hint, HasSubstr("its limit is 30ms"));
  const std::string junit = to_junit({.files = {report}, .skipped = {}, .status = 1});
  EXPECT_THAT(junit, HasSubstr("its limit is 30ms"));
}

TEST(CheckReport, AFailingTaskIsToldAtItsPlace) {
  const FileReport report = report_of_text("late.yaml", late);
  EXPECT_EQ(report.verdict, Verdict::unschedulable);
  ASSERT_EQ(report.remarks.size(), 1U);
  EXPECT_EQ(report.remarks[0].id, "unschedulable");
  EXPECT_EQ(report.remarks[0].line, 6);
  EXPECT_EQ(report.remarks[0].column, 12);
  EXPECT_EQ(report.remarks[0].message,
            "task 'slow' is unschedulable: its bound of 3ms passes its deadline of 2ms");
  EXPECT_THAT(report.remarks[0].hint, HasSubstr("block-rta: unschedulable; "));
}

TEST(CheckReport, AReasonThatIsAboutAnotherTaskSaysSo) {
  const FileReport report = report_of_text("two.yaml", R"(tactus: 1
platform: jetson-tx2
policy: {strategy: single-stream, order: edf}
tasks:
  - {name: late, period: 10ms, deadline: 1ms, segments: [{cpu: 2ms}, {exclusive: 1ms}]}
  - {name: fine, period: 20ms, deadline: 20ms, segments: [{cpu: 1ms}, {exclusive: 1ms}]}
)");
  ASSERT_EQ(report.remarks.size(), 2U);
  EXPECT_EQ(report.remarks[0].id, "unschedulable");
  EXPECT_EQ(report.remarks[1].id, "unproven");
  EXPECT_THAT(report.remarks[0].hint, HasSubstr("chain-edf: unproven; the response of 'late'"));
  EXPECT_THAT(report.remarks[1].hint,
              HasSubstr("chain-edf: unproven because of 'late'; the response of 'late'"));
}

TEST(CheckReport, WhereNoTaskIsToBlameTheSystemIs) {
  const System system = *read_system(late, "late.yaml").system;
  analysis::CheckResult result{.system = "late", .verdict = Verdict::unproven, .analyses = {}};
  analysis::CheckResult proven = analysis::check(system);
  for (auto& checked : proven.analyses) {
    for (auto& task : checked.result.tasks) task.ok = true;
  }
  proven.verdict = Verdict::unproven;
  EXPECT_EQ(report_of("late.yaml", system, result, {}).remarks.size(), 2U);
  const FileReport report = report_of("late.yaml", system, proven, {});
  ASSERT_EQ(report.remarks.size(), 1U);
  EXPECT_EQ(report.remarks[0].message, "late is unproven");
}

TEST(Junit, HasATestCaseAFile) {
  const CheckReport report{
      .files = {good, report_of_text("late.yaml", late), nasty}, .skipped = {}, .status = 2};
  const std::vector<test::XmlElement> elements = test::parse_xml(to_junit(report));
  const auto count = [&](std::string_view name) {
    return std::count_if(elements.begin(), elements.end(), [&](const auto& e) { return e.name == name; });
  };
  EXPECT_EQ(count("testcase"), 3);
  EXPECT_EQ(count("failure"), 1);
  EXPECT_EQ(count("error"), 1);
  for (const test::XmlElement& element : elements) {
    if (element.name == "testsuite") {
      EXPECT_EQ(element.attributes.at("tests"), "3");
      EXPECT_EQ(element.attributes.at("failures"), "1");
      EXPECT_EQ(element.attributes.at("errors"), "1");
    } else if (element.name == "failure") {
      EXPECT_EQ(element.attributes.at("type"), "unschedulable");
      EXPECT_THAT(element.attributes.at("message"), HasSubstr("task 'slow'"));
      EXPECT_THAT(element.text, HasSubstr("late.yaml:6:12: task 'slow'"));
    } else if (element.name == "error") {
      EXPECT_EQ(element.attributes.at("type"), "unknown-key");
      EXPECT_EQ(element.parent, "testcase");
    }
  }
}

TEST(Sarif, HasRulesResultsAndPlaces) {
  const CheckReport report{.files = {good, report_of_text("sub folder/late.yaml", late), nasty},
                           .skipped = {"/x/y.yaml"},
                           .status = 2};
  const json log = json::parse(to_sarif(report));
  EXPECT_EQ(log["version"], "2.1.0");
  ASSERT_EQ(log["runs"].size(), 1U);
  const json& run = log["runs"][0];
  EXPECT_EQ(run["columnKind"], "unicodeCodePoints");
  EXPECT_EQ(run["invocations"][0]["exitCode"], 2);
  EXPECT_EQ(run["invocations"][0]["toolExecutionNotifications"][0]["locations"][0]["physicalLocation"]
               ["artifactLocation"]["uri"],
            "file:///x/y.yaml");
  const json& rules = run["tool"]["driver"]["rules"];
  for (const json& rule : rules) {
    for (const char* key : {"shortDescription", "fullDescription", "help"}) {
      EXPECT_FALSE(rule[key]["text"].get<std::string>().empty()) << rule["id"];
    }
  }
  ASSERT_EQ(run["results"].size(), 2U);
  for (const json& result : run["results"]) {
    EXPECT_EQ(rules[result["ruleIndex"].get<std::size_t>()]["id"], result["ruleId"]);
    EXPECT_EQ(result["level"], "error");
    EXPECT_FALSE(result["message"]["text"].get<std::string>().empty());
  }
  const json& place = run["results"][0]["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "sub%20folder/late.yaml");
  EXPECT_EQ(place["region"], (json{{"startLine", 6}, {"startColumn", 12}}));
  EXPECT_EQ(run["results"][1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            "a%20b%2Cc%3Ad%25%3C%26%3E%22%27%0A%1B%FF.yaml");
}

TEST(Sarif, HasARuleForEveryId) {
  const json log = json::parse(to_sarif({}));
  std::vector<std::string> ids;
  for (const json& rule : log["runs"][0]["tool"]["driver"]["rules"]) ids.push_back(rule["id"]);
  for (const ProblemName& problem : problem_names) {
    EXPECT_EQ(std::count(ids.begin(), ids.end(), problem.name), 1) << problem.name;
  }
  for (const char* verdict : {"unproven", "unschedulable"}) {
    EXPECT_EQ(std::count(ids.begin(), ids.end(), verdict), 1) << verdict;
  }
}

TEST(Junit, HasALineForEveryRemark) {
  const std::string text =
      to_junit({.files = {report_of_text("late.yaml", late)}, .skipped = {}, .status = 1});
  EXPECT_THAT(text, testing::HasSubstr("]\n"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("\\n")));
}

TEST(Github, WritesOneCommandALineWithItsPartsEscaped) {
  EXPECT_EQ(to_github(good), "");
  EXPECT_EQ(to_github(nasty),
            "::error file=a b%2Cc%3Ad%25<&>\"'%0A\\x1b\\xff.yaml,line=3,col=7,title=unknown-key::50%25 of "
            "]]> <b> & "
            "\\x01 \\xff :: x,y%0D%0Anext%0A::error::no\n");
}

TEST(CheckSummary, CountsWhatThereIs) {
  CheckSummary summary;
  for (const auto verdict :
       {Verdict::schedulable, Verdict::unproven, Verdict::unschedulable, Verdict::schedulable}) {
    summary.count(verdict);
  }
  summary.count(std::nullopt);
  EXPECT_EQ(summary_text(summary), "5 files: 2 schedulable, 1 unschedulable, 1 unproven, 1 with problems.");
  summary.skipped = 3;
  EXPECT_THAT(summary_text(summary), HasSubstr("; 3 skipped."));
}

}  // namespace
}  // namespace tactus::report
