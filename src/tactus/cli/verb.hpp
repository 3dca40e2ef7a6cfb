// Shared by the verbs of the command: declaration of options, exit statuses, output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/cli/terminal.hpp"

// Only verb.cpp and code that walks over all verbs include CLI11: it adds seconds to the compilation of every
// source.
namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
class Option;
}  // namespace CLI

namespace tactus::cli {

/// Exit statuses are part of the interface (docs/json.md).
enum ExitStatus : int {
  answer_yes = 0,
  answer_no = 1,
  wrong_question = 2,
  failure = 3,
  interrupted = 130,
};

/// An option, a flag or an argument of a verb.
class VerbOption {
 public:
  explicit VerbOption(CLI::Option& option) : option_{&option} {}

  VerbOption& required();
  /// The placeholder for its value in the help.
  VerbOption& type_name(const std::string& name);
  /// It takes one of these values; a misspelt one is answered with the nearest.
  VerbOption& one_of(std::vector<std::string> words);
  VerbOption& between(std::int64_t least, std::int64_t most);
  /// Several values in one word, separated by this character.
  VerbOption& delimiter(char between_values);
  /// It may be repeated, with one value each time.
  VerbOption& repeats();
  /// The help shows the current value as default.
  VerbOption& capture_default();
  [[nodiscard]] bool is_given() const;

 private:
  CLI::Option* option_;
};

/// A verb, or the command itself, while its options are declared.
class Verb {
 public:
  explicit Verb(CLI::App& app) : app_{&app} {}

  [[nodiscard]] Verb add_verb(const std::string& name, const std::string& description) const;
  /// For text, numbers, and lists of them (verb.cpp has the types). The value belongs to the caller and must
  /// outlive the verb.
  template <class Value>
  VerbOption add_option(const std::string& name, Value& value, const std::string& help) const;
  VerbOption add_flag(const std::string& name, bool& value, const std::string& help) const;
  void footer(std::string_view text) const;
  void hide() const;
  /// Requires one of its verbs on the command line.
  void require_verb() const;
  void callback(std::function<void()> run) const;
  [[nodiscard]] CLI::App& app() const { return *app_; }

 private:
  CLI::App* app_;
};

/// The selected verb; each `add_...` sets it when its subcommand is parsed.
using Action = std::function<int()>;

void add_check(Verb app, Action& action);
void add_sim(Verb app, Action& action);
void add_plan(Verb app, Action& action);
void add_compare(Verb app, Action& action);
void add_falsify(Verb app, Action& action);
void add_run(Verb app, Action& action);
void add_measure(Verb app, Action& action);
void add_doctor(Verb app, Action& action);
void add_analyses(Verb app, Action& action);
void add_platforms(Verb app, Action& action);
void add_generate(Verb app, Action& action);
void add_sweep(Verb app, Action& action);
void add_init(Verb app, Action& action);
void add_help(Verb app, Action& action);
void add_completion(Verb app, Action& action);
void add_manual(Verb app, Action& action);
void add_explain(Verb app, Action& action);
void add_schema(Verb app, Action& action);

/// Messages go to stderr, results to stdout; control characters (in names, paths) are escaped. `say` never
/// throws: a lost message makes the final status a failure. `print` throws when the output cannot be written.
void say(std::string_view message);
void print(std::string_view text);
/// Results for users: lines wider than the terminal are wrapped at spaces.
void print_text(std::string_view text);

/// "1 job", "2 jobs".
std::string plural(std::uint64_t count, std::string_view noun);

}  // namespace tactus::cli
