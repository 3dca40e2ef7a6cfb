// Shared by the verbs of the command: declaration of options.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/cli/exit_status.hpp"
#include "tactus/cli/output.hpp"

// Headers do not include CLI11: it adds seconds to the compilation of every source.
namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
class Option;
}  // namespace CLI

namespace tactus::cli {

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

 private:
  CLI::Option* option_;
};

/// What a verb does; returns the exit status.
using Action = std::function<int()>;

/// A verb, or the command itself, while its options are declared.
class Verb {
 public:
  /// `action` becomes that of the verb on the command line.
  Verb(CLI::App& app, Action& action) : app_{&app}, action_{&action} {}

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
  void runs(Action run) const;
  [[nodiscard]] CLI::App& app() const { return *app_; }

 private:
  CLI::App* app_;
  Action* action_;
};

void add_check(Verb app);
void add_sim(Verb app);
void add_plan(Verb app);
void add_transform(Verb app);
void add_import(Verb app);
void add_compare(Verb app);
void add_falsify(Verb app);
void add_run(Verb app);
void add_measure(Verb app);
void add_doctor(Verb app);
void add_analyses(Verb app);
void add_platforms(Verb app);
void add_generate(Verb app);
void add_sweep(Verb app);
void add_init(Verb app);
void add_help(Verb app);
void add_completion(Verb app);
void add_manual(Verb app);
void add_explain(Verb app);
void add_schema(Verb app);

}  // namespace tactus::cli
