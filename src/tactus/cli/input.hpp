// What a verb reads and writes: files (`-` is standard input or output), folders of them, changes to them for
// this once, and analyses by name.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tactus/analysis/analysis.hpp"
#include "tactus/base/error.hpp"
#include "tactus/base/file.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/io/units.hpp"
#include "tactus/report/check_report.hpp"

namespace tactus::cli {

struct InputText {
  std::string name;  // as used in messages: "stdin" for standard input
  std::string text;
};

/// A system file, or what an imported model became.
struct SystemText : InputText {
  bool is_model = false;
  bool is_made = false;      // of a model or with other chains: places in it are none of the file
  bool is_stricter = false;  // than the model
  std::vector<report::LeftOut> left_out{};  // of a model, what would change the answer
};

/// InputError when it cannot be read, or when standard input has been read before.
InputText read_input(const std::string& path);

/// The same with the text of a system file where the input is an AMALTHEA model, a file or a folder of them:
/// it is imported with the choices that `tactus import` makes without options, and its warnings are told.
/// What is to be planned has open cores and variants. `chains`: a file with the chains that it gets, if not
/// empty.
SystemText read_system_input(const std::string& path, Completeness completeness,
                             const std::string& chains = {});

/// Whether it is a folder whose files are one AMALTHEA model.
bool is_model_folder(const std::string& path);

/// The system with the chains of a file of their own in place of its own. InputError where they do not fit.
System with_chains(const System& system, const std::string& path, Completeness completeness);

/// The value of an option. InputError with what is wrong with its text.
template <typename T>
T option_value(const std::string& option, const std::string& text, const io::Parsed<T>& parsed) {
  if (!parsed.value) throw InputError{option + ": '" + text + "' " + parsed.message, parsed.hint};
  return *parsed.value;
}

inline bool is_standard_stream(const std::string& path) { return path == "-"; }

/// An option that writes to standard output.
struct StdoutClaim {
  std::string option;
  bool there = false;
};

/// InputError when there is more than one, since their outputs would be mixed.
void refuse_to_mix(const std::vector<StdoutClaim>& claims);

/// Prints a result for users: to standard output, or to standard error if standard output carries data for a
/// program.
void print_beside(bool standard_output_is_taken, const std::string& text);

/// The path to write to for an output argument; `-` becomes the file of standard output.
std::filesystem::path output_path(const std::string& path);

/// An option that writes to a file; none where the path is empty.
struct FileClaim {
  std::string option;
  std::string path;
};

/// InputError when one of these would replace another, or a file that is read: a file, or the models in a
/// folder.
void refuse_to_replace(const std::vector<FileClaim>& outputs, const std::vector<std::string>& inputs);

/// A file for results, none where the path is empty. Opened before the work, so that a path that cannot be
/// written is reported first.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path) {
    if (!path.empty()) file_.emplace(output_path(path));
  }
  void write(std::string_view text);

 private:
  std::optional<AtomicFile> file_;
};

/// One argument: a file, `-`, or a folder with the files found in it.
struct NamedFiles {
  std::string named;
  bool is_folder = false;
  /// For a folder: *.yaml, *.yml and models in it and below it, sorted by name; a folder whose files are
  /// parts of one model is itself among them. Hidden files and folders are skipped, links to folders are not
  /// followed, and pipes and devices are not files.
  std::vector<std::string> files{};
  std::vector<Problem> problems{};  // folders that cannot be read
};

NamedFiles find_files(const std::string& named);

/// One-off changes to a system file: --strategy, --order, --set and --chains.
struct OverrideOptions {
  std::string strategy;
  std::string order;
  std::vector<std::string> set;
  std::string chains;  // a file

  /// Strategy, order, then the other changes in the order given. InputError for a `--set` without key or
  /// value.
  [[nodiscard]] std::vector<Override> changes() const;
};

/// Adds --set only.
void add_set_option(Verb verb, OverrideOptions& options);
/// Adds all of them.
void add_override_options(Verb verb, OverrideOptions& options);

/// The system in that text, with the changes. InputError with all problems when it is not valid.
System system_of(const SystemText& input, Completeness completeness, const OverrideOptions& options);

/// The system in that input. InputError with all problems when it is not valid.
System load_input(const std::string& path, Completeness completeness, const OverrideOptions& options);

/// The same error with places: what an engine or device cannot do is said of the task that the message
/// quotes, or of the policy.
[[nodiscard]] InputError with_places(const InputError& error, const SystemText& input, const System& system);

/// What `act` answers for this system, which is made of `input`.
template <typename Act>
auto placing_problems(const SystemText& input, const System& system, const Act& act) {
  try {
    return act();
  } catch (const InputError& error) {
    throw with_places(error, input, system);
  }
}

/// The registry entries with these ids. InputError, with the nearest known id, for unknown ones.
std::vector<const analysis::Analysis*> select_analyses(const std::vector<std::string>& ids);

}  // namespace tactus::cli
