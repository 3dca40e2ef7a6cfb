// The command line as data, and what is generated from it, so that it cannot differ from what is parsed:
// help, completion, manual pages, and messages about a wrong command line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// Headers do not include CLI11: it adds seconds to the compilation of every source.
namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
class ParseError;
}  // namespace CLI

namespace tactus::cli {

/// An option or argument of a verb.
struct OptionFacts {
  std::vector<std::string> names;    // "-o", "--output"; one without dashes for an argument
  std::string value;                 // "FILE", "host|cuda"; empty for a flag
  std::vector<std::string> choices;  // the allowed values; empty: any
  std::string description;           // with its default, if the parser knows one
  bool argument = false;             // positional
  bool required = false;
  bool many = false;    // it may be repeated, or takes several words
  bool listed = false;  // several values separated by commas
  bool file = false;    // the value is a file or folder
  bool yaml = false;    // an input file in YAML, or a folder of them
};

/// Without hidden options; arguments first.
std::vector<OptionFacts> options_of(const CLI::App& app);
/// Without hidden verbs, in the order of declaration.
std::vector<const CLI::App*> verbs_of(const CLI::App& app);
/// The verb with these names; null if there is none.
const CLI::App* find_verb(const CLI::App& app, const std::vector<std::string>& path);

/// "tactus check", "tactus measure kernel".
std::string full_name(const CLI::App& app);
/// "tactus check [OPTIONS] FILE...".
std::string usage_of(const CLI::App& app);

/// Indented lines of a footer: a command or a term, and its meaning.
struct FooterItem {
  std::string term;
  std::string meaning;  // may be empty
};

/// A part of a footer: a paragraph, or items.
struct FooterBlock {
  std::string paragraph;  // empty: items
  std::vector<FooterItem> items;

  [[nodiscard]] bool is_heading() const {
    return paragraph.ends_with(':') && paragraph.find(' ') == std::string::npos;
  }
};

/// The footer of a verb, below its options. Lines without indentation are paragraphs; an empty line or "Exit
/// status:" starts the next one. An indented line is an item: its meaning follows after two or more spaces,
/// or in the next line, indented by at least 12. A term that ends with a backslash continues in the next
/// line.
std::vector<FooterBlock> footer_of(const CLI::App& app);

/// The output of `--help` for this verb, wrapped.
std::string help_text(const CLI::App& app, std::size_t width, bool colour);

/// A completion script for "bash", "zsh" or "fish".
std::string completion_script(const CLI::App& app, std::string_view shell);

/// What `tactus explain` takes: ids of analyses and messages, and the terms of the glossary.
std::vector<std::string_view> explained_words();

/// What is wrong with a command line, and what was most likely meant. `first`: the first word that is not an
/// option of the command itself; may be empty.
std::string usage_complaint(const CLI::App& app, const CLI::ParseError& error, std::string_view first);

}  // namespace tactus::cli
