// The output formats of `check`, for users and for CI pipelines.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/analysis/check.hpp"
#include "tactus/base/error.hpp"
#include "tactus/model/system.hpp"
#include "tactus/plan/hints.hpp"
#include "tactus/report/check_report.hpp"

namespace tactus::cli {

enum class CheckFormat : std::uint8_t { text, json, junit, sarif, github };

/// The values of `--format`, in the order of the enumeration.
std::vector<std::string> check_format_words();
CheckFormat check_format_named(std::string_view word);

struct CheckTextOptions {
  bool verbose = false;
  bool chosen = false;  // the analyses were named: each is shown, even if it is about another strategy
  bool all = false;     // show every task of a long table, in file order
};

/// Verdict, bounds, and a line for every analysis of the system's strategy that applies; if none applies, the
/// reasons. Analyses of other strategies only if `verbose`.
std::string check_text(const System& system, const analysis::CheckResult& result,
                       const CheckTextOptions& options);

/// What is reported about a file beyond the result itself.
struct CheckAnswer {
  std::string text;                         // for users
  std::optional<plan::Hints> hints;         // if they were searched
  bool is_made = false;                     // the text is not that of the file
  std::vector<report::LeftOut> left_out{};  // of an imported model
};

/// Takes the answers one after the other. Formats that allow it are written at once; formats that are a
/// single document are written by `finish`.
class CheckTeller {
 public:
  /// `several`: a summary is written at the end.
  CheckTeller(CheckFormat format, bool several) : format_{format}, several_{several} {}

  /// `source` is the text of the file.
  void checked(const std::string& file, const std::string& source, const System& system,
               const analysis::CheckResult& result, const CheckAnswer& answer);
  void bad(const std::string& file, const InputError& error);
  /// A file in a folder that is not a system file.
  void skipped(const std::string& file);
  /// `status`: the exit status of the command.
  void finish(int status);

 private:
  void tell(report::FileReport report);

  CheckFormat format_;
  bool several_;
  bool first_ = true;
  report::CheckSummary summary_;
  report::CheckReport report_;
};

}  // namespace tactus::cli
