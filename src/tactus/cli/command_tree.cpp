#include "tactus/cli/command_tree.hpp"

#include <CLI/App.hpp>
#include <algorithm>
#include <array>
#include <sstream>

#include "tactus/analysis/registry.hpp"
#include "tactus/generate/generator.hpp"
#include "tactus/model/presets.hpp"

namespace tactus::cli {

namespace {

/// For "TEXT:{worst,best}": worst and best.
std::vector<std::string> choices_in(const std::string& type) {
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}', std::min(open, type.size()));
  if (close == std::string::npos) return {};
  std::vector<std::string> choices;
  std::istringstream words{type.substr(open + 1, close - open - 1)};
  for (std::string word; std::getline(words, word, ',');) choices.push_back(word);
  return choices;
}

/// The known values of a kind, from the registries.
std::vector<std::string> known_of(std::string_view kind) {
  std::vector<std::string> known;
  if (kind == "ANALYSIS") {
    for (const analysis::Analysis& entry : analysis::registry()) known.emplace_back(entry.id);
  } else if (kind == "PLATFORM") {
    for (const Preset& preset : presets()) known.emplace_back(preset.name);
  } else if (kind == "SOURCE") {
    for (const generate::Generator& generator : generate::generators()) known.emplace_back(generator.id);
  } else if (kind == "--strategy") {
    for (const StrategyRef strategy : known_strategies()) known.emplace_back(strategy->name);
  } else if (kind == "--order") {
    known = {"edf", "fp", "fl"};
  }
  return known;
}

/// With hyphens instead of spaces, which `explain` accepts.
std::vector<std::string> words_to_explain() {
  std::vector<std::string> words;
  for (const std::string_view word : explained_words()) {
    std::string& one = words.emplace_back(word);
    std::replace(one.begin(), one.end(), ' ', '-');
  }
  return words;
}

/// The placeholder for a value in the help.
std::string value_word(const std::string& type, const std::vector<std::string>& choices) {
  constexpr std::size_t max_shown = 24;
  std::string all;
  for (const std::string& choice : choices) all += (all.empty() ? "" : "|") + choice;
  if (!all.empty() && all.size() <= max_shown) return all;
  const std::string word = type.substr(0, type.find_first_of(": "));
  if (word == "INT" || word == "UINT") return "N";
  return word == "TEXT" ? "WORD" : word;
}

/// Placeholders that mean a file or a folder.
bool is_file_word(std::string_view word) {
  constexpr std::array<std::string_view, 5> words{"FILE", "FOLDER", "PATH", "EXPERIMENT", "SOURCE"};
  return std::find(words.begin(), words.end(), word) != words.end();
}

OptionFacts facts_of(const CLI::Option& option) {
  OptionFacts facts;
  facts.argument = option.get_positional();
  if (facts.argument) {
    facts.names = {option.get_name(true)};
  } else {
    for (const std::string& name : option.get_snames()) facts.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) facts.names.push_back("--" + name);
  }
  facts.description = option.get_description();
  facts.required = option.get_required();
  facts.many = option.get_expected_max() > 1;
  facts.listed = option.get_delimiter() != '\0';
  if (option.get_type_size() != 0) {
    const std::string type = option.get_type_name();
    facts.choices = choices_in(type);
    facts.value =
        facts.argument && facts.choices.empty() ? facts.names.front() : value_word(type, facts.choices);
    facts.file = is_file_word(facts.value);
    facts.yaml = facts.argument && facts.file && facts.value != "FOLDER";
    if (facts.choices.empty()) facts.choices = known_of(facts.value);
    if (facts.choices.empty()) facts.choices = known_of(facts.names.back());
    if (facts.argument && facts.value == "WORD") facts.choices = words_to_explain();
    if (!option.get_default_str().empty()) facts.description += " (default " + option.get_default_str() + ")";
  }
  return facts;
}

constexpr std::size_t min_continuation = 12;

/// The meaning begins after the first two spaces of an item.
FooterItem split_item(std::string_view line) {
  const std::size_t gap = line.find("  ");
  if (gap == std::string_view::npos) return {std::string{line}, {}};
  const std::size_t meaning = line.find_first_not_of(' ', gap);
  return {std::string{line.substr(0, gap)},
          meaning == std::string_view::npos ? std::string{} : std::string{line.substr(meaning)}};
}

void append(std::string& text, std::string_view more) {
  if (!text.empty()) text += ' ';
  text += more;
}

void add_item_line(std::vector<FooterItem>& items, std::size_t margin, std::string_view content) {
  const bool goes_on = !items.empty() && items.back().meaning.empty() && items.back().term.ends_with('\\');
  if (goes_on) {
    FooterItem rest = split_item(content);
    items.back().term.pop_back();
    items.back().term += rest.term;
    items.back().meaning = rest.meaning;
  } else if (!items.empty() && margin >= min_continuation) {
    append(items.back().meaning, content);
  } else {
    items.push_back(split_item(content));
  }
}

}  // namespace

std::vector<OptionFacts> options_of(const CLI::App& app) {
  std::vector<OptionFacts> all;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty()) all.push_back(facts_of(*option));
    if (!all.empty() && all.back().value == "VERB") {
      for (const CLI::App* verb : verbs_of(*app.get_parent())) all.back().choices.push_back(verb->get_name());
    }
  }
  // Help and colour options are common to all verbs: they come last.
  std::stable_sort(all.begin(), all.end(), [](const OptionFacts& a, const OptionFacts& b) {
    const auto rank = [](const OptionFacts& option) {
      if (option.argument) return 0;
      const std::string& name = option.names.back();
      return name == "--help" ? 3 : name == "--color" ? 2 : 1;
    };
    return rank(a) < rank(b);
  });
  return all;
}

std::vector<const CLI::App*> verbs_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* verb) { return !verb->get_group().empty(); });
}

const CLI::App* find_verb(const CLI::App& app, const std::vector<std::string>& path) {
  const CLI::App* found = &app;
  for (const std::string& name : path) {
    const std::vector<const CLI::App*> verbs =
        found->get_subcommands([&](const CLI::App* verb) { return verb->get_name() == name; });
    if (verbs.empty()) return nullptr;
    found = verbs.front();
  }
  return found;
}

std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name() : full_name(*app.get_parent()) + " " + app.get_name();
}

std::string usage_of(const CLI::App& app) {
  const std::vector<OptionFacts> options = options_of(app);
  std::string usage = full_name(app);
  if (!verbs_of(app).empty()) usage += " VERB";
  if (std::any_of(options.begin(), options.end(),
                  [](const OptionFacts& option) { return !option.argument; })) {
    usage += " [OPTIONS]";
  }
  for (const OptionFacts& option : options) {
    if (!option.argument) continue;
    const std::string name = option.names.front() + (option.many ? "..." : "");
    usage += option.required ? " " + name : " [" + name + "]";
  }
  return usage;
}

std::vector<FooterBlock> footer_of(const CLI::App& app) {
  std::vector<FooterBlock> blocks;
  bool open = false;  // the last block continues
  std::istringstream lines{app.get_footer()};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t margin = line.find_first_not_of(' ');
    if (margin == std::string::npos) {
      open = false;
      continue;
    }
    const std::string_view content = std::string_view{line}.substr(margin);
    const bool item = margin > 0;
    const bool same = open && item == blocks.back().paragraph.empty() && !content.starts_with("Exit status:");
    if (!same) blocks.emplace_back();
    open = true;
    if (item) {
      add_item_line(blocks.back().items, margin, content);
    } else {
      append(blocks.back().paragraph, content);
    }
  }
  return blocks;
}

}  // namespace tactus::cli
