// The report of `check` as JUnit's XML.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "tactus/base/version.hpp"
#include "tactus/report/check_report.hpp"
#include "tactus/report/svg.hpp"

namespace tactus::report {

namespace {

/// Each line indented and escaped; line ends stay.
std::string hint_lines(std::string_view hint) {
  std::string text;
  while (!hint.empty()) {
    const std::size_t end = std::min(hint.find('\n'), hint.size());
    text.append("    ").append(escape_xml(std::string{hint.substr(0, end)})).append("\n");
    hint.remove_prefix(std::min(end + 1, hint.size()));
  }
  return text;
}

/// Escapes each line; line ends stay.
std::string told_lines(const FileReport& report) {
  std::string text;
  for (const Remark& remark : report.remarks) {
    text += escape_xml(fmt::format("{}:{}:{}: {} [{}]", report.file, remark.line, remark.column,
                                   remark.message, remark.id)) +
            "\n";
    // The reasons concern the whole system, so they are listed once; those of a chain are its own.
    const bool is_said =
        report.verdict && &remark != &report.remarks.back() && (&remark)[1].hint == remark.hint;
    if (!is_said) text += hint_lines(remark.hint);
  }
  return text;
}

std::string case_of(const FileReport& report) {
  const std::string head =
      fmt::format(R"(    <testcase classname="tactus.check" name="{0}" file="{0}")", escape_xml(report.file));
  if (report.verdict == analysis::Verdict::schedulable) return head + "/>\n";
  const std::string_view element = report.verdict ? "failure" : "error";
  const std::string type = report.verdict           ? std::string{to_string(*report.verdict)}
                           : report.remarks.empty() ? std::string{}
                                                    : report.remarks.front().id;
  const std::string message = report.remarks.empty() ? type : report.remarks.front().message;
  return fmt::format("{}>\n      <{} type=\"{}\" message=\"{}\">{}</{}>\n    </testcase>\n", head, element,
                     escape_xml(type), escape_xml(message), told_lines(report), element);
}

}  // namespace

std::string to_junit(const CheckReport& report) {
  CheckSummary summary;
  std::string cases;
  for (const FileReport& file : report.files) {
    summary.count(file.verdict);
    cases += case_of(file);
  }
  const std::string counts = fmt::format(R"(tests="{}" failures="{}" errors="{}")", summary.files,
                                         summary.unschedulable + summary.unproven, summary.bad);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"tactus check\" {0}>\n"
      "  <testsuite name=\"tactus check\" {0} skipped=\"0\">\n"
      "    <properties>\n      <property name=\"tactus_version\" value=\"{1}\"/>\n    </properties>\n"
      "{2}  </testsuite>\n</testsuites>\n",
      counts, escape_xml(version()), cases);
}

}  // namespace tactus::report
