// tactus manual: writes manual pages and completion scripts. Hidden: the build calls it.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

#include "tactus/base/error.hpp"
#include "tactus/base/file.hpp"
#include "tactus/base/version.hpp"
#include "tactus/cli/command_tree.hpp"
#include "tactus/cli/verb.hpp"

namespace tactus::cli {

namespace fs = std::filesystem;

namespace {

/// Escapes text for roff: no line is taken for a request, and dashes stay dashes.
std::string roff(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  if (result.starts_with('.') || result.starts_with('\'')) result.insert(0, "\\&");
  return result;
}

std::string upper(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

/// "tactus-measure-kernel".
std::string page_name(const CLI::App& app) {
  std::string name = full_name(app);
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string item(const std::string& term, const std::string& meaning) {
  return meaning.empty() ? fmt::format(".TP\n\\fB{}\\fR\n", roff(term))
                         : fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(term), roff(meaning));
}

std::string options_text(const CLI::App& app) {
  std::string text;
  for (const bool arguments : {true, false}) {
    std::string part;
    for (const OptionFacts& option : options_of(app)) {
      if (option.argument != arguments) continue;
      std::string names;
      for (const std::string& name : option.names) names += (names.empty() ? "" : ", ") + name;
      const std::string value = option.argument || option.value.empty() ? "" : " " + option.value;
      part += fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", roff(names),
                          value.empty() ? "" : " \\fI" + roff(value.substr(1)) + "\\fR",
                          roff(option.description));
    }
    if (!part.empty()) text += (arguments ? ".SH ARGUMENTS\n" : ".SH OPTIONS\n") + part;
  }
  return text;
}

std::string verbs_text(const CLI::App& app) {
  std::string text;
  std::string group;
  for (const CLI::App* verb : verbs_of(app)) {
    if (text.empty()) text = ".SH VERBS\n";
    if (verb->get_group() != group) {
      group = verb->get_group();
      text += fmt::format(".SS {}\n", roff(group));
    }
    text += item(verb->get_name(), verb->get_description());
  }
  return text;
}

/// Paragraphs before the first heading are the description; every heading starts a section.
struct Footer {
  std::string description;
  std::string sections;
};

Footer footer_text(const CLI::App& app) {
  Footer footer;
  std::string* part = &footer.description;
  constexpr std::string_view exit_status = "Exit status: ";
  for (const FooterBlock& block : footer_of(app)) {
    if (block.is_heading()) {
      part = &footer.sections;
      *part += fmt::format(".SH {}\n", upper(block.paragraph.substr(0, block.paragraph.size() - 1)));
    } else if (block.paragraph.starts_with(exit_status)) {
      footer.sections +=
          fmt::format(".SH EXIT STATUS\n{}\n", roff(block.paragraph.substr(exit_status.size())));
    } else if (!block.paragraph.empty()) {
      *part += fmt::format(".PP\n{}\n", roff(block.paragraph));
    } else {
      for (const FooterItem& one : block.items) *part += item(one.term, one.meaning);
    }
  }
  return footer;
}

std::string see_also(const CLI::App& app) {
  std::string pages;
  const auto add = [&](const CLI::App& other) {
    pages += fmt::format("{}.BR {} (1)", pages.empty() ? "" : ",\n", roff(page_name(other)));
  };
  const CLI::App* above = app.get_parent();
  if (above != nullptr) add(*above);
  for (const CLI::App* other : verbs_of(above != nullptr && verbs_of(app).empty() ? *above : app)) {
    if (other != &app) add(*other);
  }
  return pages.empty() ? pages : ".SH SEE ALSO\n" + pages + "\n";
}

std::string page_of(const CLI::App& app) {
  const Footer footer = footer_text(app);
  return fmt::format(
      ".TH {} 1 \"\" \"tactus {}\" \"Tactus\"\n.nh\n.ad l\n.SH NAME\n{} \\- {}\n.SH "
      "SYNOPSIS\n\\fB{}\\fR{}\n{}{}{}{}{}",
      roff(upper(page_name(app))), version(), roff(page_name(app)), roff(app.get_description()),
      roff(full_name(app)), roff(usage_of(app).substr(full_name(app).size())),
      footer.description.empty() ? "" : ".SH DESCRIPTION\n" + footer.description, verbs_text(app),
      options_text(app), footer.sections, see_also(app));
}

void write_pages(const CLI::App& app, const fs::path& folder) {
  write_file(folder / (page_name(app) + ".1"), page_of(app));
  for (const CLI::App* verb : verbs_of(app)) write_pages(*verb, folder);
}

}  // namespace

void add_manual(Verb app) {
  const Verb verb = app.add_verb("manual", "Writes manual pages and completion scripts into a folder");
  verb.hide();
  const auto folder = std::make_shared<std::string>();
  verb.add_option("FOLDER", *folder, "Where they go; it is made if it is not there").required();
  const CLI::App& root = app.app();
  verb.runs([&root, folder] {
    const fs::path pages = fs::path{*folder} / "man1";
    make_folder(pages);
    write_pages(root, pages);
    for (const char* shell : {"bash", "zsh", "fish"}) {
      write_file(fs::path{*folder} / fmt::format("tactus.{}", shell), completion_script(root, shell));
    }
    return answer_yes;
  });
}

}  // namespace tactus::cli
