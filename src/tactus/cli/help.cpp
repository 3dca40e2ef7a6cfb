// tactus help, and the text of --help.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "tactus/base/error.hpp"
#include "tactus/base/text.hpp"
#include "tactus/cli/command_tree.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/report/table.hpp"

namespace tactus::cli {

namespace {

using report::Tone;

/// Longer lines are hard to read, however wide the terminal is.
constexpr std::size_t widest_prose = 120;
constexpr std::size_t margin = 2;
constexpr std::size_t widest_term = 30;
/// With less room than this, a meaning is printed below its term.
constexpr std::size_t min_room = 32;
constexpr std::size_t deeper = 6;

/// Marks a space at which a command must not be broken.
constexpr char tied = '\x1f';

/// Marks spaces inside quotes and between an option and its value as unbreakable.
std::string with_ties(std::string command) {
  bool quoted = false;
  bool option = false;  // the word is an option
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (command[i] == '\'') quoted = !quoted;
    if (i > 0 && command[i - 1] == ' ') option = command[i] == '-';
    const bool value_follows = option && i + 1 < command.size() && command[i + 1] != '-';
    if (command[i] == ' ' && (quoted || value_follows)) command[i] = tied;
  }
  return command;
}

class Writer {
 public:
  Writer(std::size_t width, bool colour) : width_{std::min(width, widest_prose)}, colour_{colour} {}

  void add_heading(const std::string& heading) {
    text_ += "\n" + report::toned(heading, Tone::strong, colour_) + "\n";
  }
  void add_paragraph(std::string_view text) { text_ += report::wrapped(text, width_) + "\n"; }
  void add_gap() { text_ += "\n"; }

  /// Meanings are aligned in a column beside their terms, or printed below terms that are too long.
  void add_entries(const std::vector<FooterItem>& entries, std::size_t most) {
    std::size_t column = 0;
    for (const FooterItem& entry : entries) {
      const std::size_t end = margin + report::shown_width(entry.term) + 2;
      if (!entry.meaning.empty() && end <= margin + most + 2 && end + min_room <= width_) {
        column = std::max(column, end);
      }
    }
    for (const FooterItem& entry : entries) add_entry(entry, column);
  }

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  /// Breaks lines of `term` that are too long in a way that a shell can read.
  [[nodiscard]] std::string term_text(const std::string& term) const {
    if (report::shown_width(term) + margin <= width_) return std::string(margin, ' ') + term;
    const bool command = term.starts_with("tactus ") || term.find(" tactus ") != std::string::npos;
    const std::vector<std::string> lines =
        report::lines_of(command ? with_ties(term) : term, width_ - margin - deeper - 2);
    std::string text;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      text += std::string(i == 0 ? margin : margin + deeper, ' ') + lines[i];
      if (i + 1 < lines.size()) text += command ? " \\\n" : "\n";
    }
    std::replace(text.begin(), text.end(), tied, ' ');
    return text;
  }

  void add_entry(const FooterItem& entry, std::size_t column) {
    const std::string line = term_text(entry.term);
    if (entry.meaning.empty()) {
      text_ += line + "\n";
      return;
    }
    const bool beside = line.find('\n') == std::string::npos && report::shown_width(line) + 2 <= column;
    const std::size_t at = beside ? column : std::max(column, margin + deeper);
    text_ += line;
    std::size_t used = report::shown_width(line);
    if (!beside) {
      text_ += "\n";
      used = 0;
    }
    for (const std::string& part : report::lines_of(entry.meaning, width_ - std::min(width_, at))) {
      text_.append(at - used, ' ').append(part).append("\n");
      used = 0;
    }
  }

  std::size_t width_;
  bool colour_;
  std::string text_;
};

std::string term_of(const OptionFacts& option) {
  if (option.argument) return option.names.front() + (option.many ? "..." : "");
  std::string term;
  for (const std::string& name : option.names) term += (term.empty() ? "" : ", ") + name;
  if (!option.value.empty()) term += " " + option.value;
  if (option.listed) term += ",...";
  return term;
}

void add_options(Writer& writer, const CLI::App& app) {
  for (const bool arguments : {true, false}) {
    std::vector<FooterItem> entries;
    for (const OptionFacts& option : options_of(app)) {
      if (option.argument != arguments) continue;
      entries.push_back(
          {term_of(option), option.description + (option.required && !arguments ? " (must be given)" : "")});
    }
    if (entries.empty()) continue;
    writer.add_heading(arguments ? "Arguments:" : "Options:");
    writer.add_entries(entries, widest_term);
  }
}

void add_verbs(Writer& writer, const CLI::App& app) {
  const std::vector<const CLI::App*> verbs = verbs_of(app);
  std::vector<std::string> groups;
  std::size_t longest = 0;
  for (const CLI::App* verb : verbs) {
    if (std::find(groups.begin(), groups.end(), verb->get_group()) == groups.end()) {
      groups.push_back(verb->get_group());
    }
    longest = std::max(longest, verb->get_name().size());
  }
  for (const std::string& group : groups) {
    writer.add_heading(group + ":");
    std::vector<FooterItem> entries;
    for (const CLI::App* verb : verbs) {
      if (verb->get_group() != group) continue;
      std::string name = verb->get_name();
      name.append(longest - name.size(), ' ');  // one column for all groups
      entries.push_back({name, verb->get_description()});
    }
    writer.add_entries(entries, widest_term);
  }
}

void add_footer(Writer& writer, const CLI::App& app) {
  bool gap = true;
  for (const FooterBlock& block : footer_of(app)) {
    if (block.is_heading()) {
      writer.add_heading(block.paragraph);
      gap = false;
      continue;
    }
    if (gap) writer.add_gap();
    if (!block.paragraph.empty()) {
      writer.add_paragraph(block.paragraph);
      gap = !block.paragraph.ends_with(':');
      continue;
    }
    writer.add_entries(block.items, widest_prose);
    gap = true;
  }
}

constexpr std::string_view examples = R"(
Examples:
  tactus help
  tactus help check
  tactus help measure overheads)";

}  // namespace

std::string help_text(const CLI::App& app, std::size_t width, bool colour) {
  Writer writer{width, colour};
  writer.add_paragraph(app.get_description());
  writer.add_gap();
  writer.add_paragraph("Usage: " + usage_of(app));
  add_verbs(writer, app);
  add_options(writer, app);
  add_footer(writer, app);
  return writer.take();
}

void add_help(Verb app) {
  const Verb verb = app.add_verb("help", "What the command or a verb does, and how to call it");
  const auto path = std::make_shared<std::vector<std::string>>();
  verb.add_option("VERB", *path, "A verb, and a verb of it");
  verb.footer(examples);
  const CLI::App& root = app.app();
  verb.runs([&root, path] {
    const CLI::App* found = find_verb(root, *path);
    if (found == nullptr) {
      std::vector<std::string> names;
      for (const CLI::App* known : verbs_of(root)) names.push_back(known->get_name());
      const std::string_view near =
          nearest_name(path->front(), std::vector<std::string_view>{names.begin(), names.end()});
      throw InputError{fmt::format("there is no verb '{}'", fmt::join(*path, " ")),
                       near.empty() || near == path->front()
                           ? "`tactus help` lists them"
                           : fmt::format("did you mean `tactus help {}`?", near)};
    }
    print(help_text(*found, picture_width(), wants_colour()));
    return answer_yes;
  });
}

}  // namespace tactus::cli
