// The command line as data: what help, manual pages and completion tell about it comes from here, and so none
// of them knows another command than the one that is parsed.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::cli {

/// An option or argument of a verb.
struct OptionFacts {
  std::vector<std::string> names;    // "-o", "--output"; one without dashes for an argument
  std::string value;                 // "FILE", "host|cuda"; empty for a flag
  std::vector<std::string> choices;  // the words it can be; empty: anything
  std::string description;           // with its default, where the parser knows one
  bool argument = false;             // by its place, not by a name
  bool required = false;
  bool many = false;    // it may stand there several times, or several words behind it
  bool listed = false;  // several words separated by commas
  bool file = false;    // a file or folder is meant
  bool yaml = false;    // a file that is read and is YAML, or a folder of them
};

/// Without what is hidden; arguments first.
std::vector<OptionFacts> options_of(const CLI::App& app);
/// Without what is hidden, in the order in which they were added.
std::vector<const CLI::App*> verbs_of(const CLI::App& app);
/// The verb of these names; null where there is none.
const CLI::App* find_verb(const CLI::App& app, const std::vector<std::string>& path);

/// "tactus check", "tactus measure kernel".
std::string full_name(const CLI::App& app);
/// "tactus check [OPTIONS] FILE...".
std::string usage_of(const CLI::App& app);

/// Indented lines of a footer: a command or a term, and what there is to say about it.
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

/// What a verb tells below its options. Lines without indentation are paragraphs, an empty line or "Exit
/// status:" begins the next. An indented line is an item: its meaning stands behind two spaces or more, or in
/// the next line, indented by at least 12. A term that ends in a backslash goes on in the next line.
std::vector<FooterBlock> footer_of(const CLI::App& app);

}  // namespace tactus::cli
