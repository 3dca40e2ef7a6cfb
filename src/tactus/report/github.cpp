// The report of `check` as workflow commands of GitHub Actions.
#include <fmt/format.h>

#include "tactus/report/check_report.hpp"
#include "tactus/report/display_text.hpp"

namespace tactus::report {

namespace {

/// A command is one line with the separators `:` and `,`, which are percent-encoded. Control characters
/// are replaced.
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
  return harmless(result);
}

}  // namespace

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
