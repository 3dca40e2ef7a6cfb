// The results of `check` for files, for the formats that pipelines read.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tactus/analysis/check.hpp"
#include "tactus/base/error.hpp"
#include "tactus/io/problems.hpp"
#include "tactus/model/system.hpp"

namespace tactus::report {

/// A remark at a position of a file: a problem of its text, or a task or chain that is not proven.
struct Remark {
  std::string id;  // of the problem, or the verdict
  int line = 1;
  int column = 1;
  std::string message;
  std::string hint;
};

struct FileReport {
  std::string file;
  std::optional<analysis::Verdict> verdict;  // nothing: the file has problems
  std::vector<Remark> remarks;
};

FileReport report_of(const std::string& file, const std::vector<Problem>& problems);

/// `places` are those of the tasks and of the chains (io/document.hpp).
FileReport report_of(const std::string& file, const System& system, const analysis::CheckResult& result,
                     const std::vector<io::TextPosition>& places,
                     const std::vector<io::TextPosition>& chain_places = {});

/// Of a model of another tool: what the system that was made of it does not have.
struct LeftOut {
  std::string text;
  int line = 1;
  int column = 1;
};

/// A remark for each: the model is not proven.
void add_left_out(FileReport& report, const std::vector<LeftOut>& left_out);

/// The number of files with each verdict.
struct CheckSummary {
  std::size_t files = 0;
  std::size_t schedulable = 0;
  std::size_t unschedulable = 0;
  std::size_t unproven = 0;
  std::size_t bad = 0;
  std::size_t skipped = 0;  // files in a folder that are no system files; not counted in `files`

  void count(const std::optional<analysis::Verdict>& verdict);
};

/// "3 files: 2 schedulable, 1 unproven."
std::string summary_text(const CheckSummary& summary);

/// All files together.
struct CheckReport {
  std::vector<FileReport> files;
  std::vector<std::string> skipped;
  int status = 0;  // exit status of the command
};

/// JUnit's XML: one test case for each file. A verdict other than schedulable is a failure, a bad file an
/// error.
std::string to_junit(const CheckReport& report);

/// SARIF 2.1.0: a result for every remark, with a rule for every id.
std::string to_sarif(const CheckReport& report);

/// Workflow commands of GitHub Actions: one line for each error. Empty where there is none.
std::string to_github(const FileReport& report);

}  // namespace tactus::report
