#include "tactus/cli/usage.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/Error.hpp>
#include <algorithm>
#include <string_view>
#include <utility>

#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"

namespace tactus::cli {

namespace {

std::string_view nearest_of(std::string_view word, const std::vector<std::string>& known) {
  return nearest_name(word, std::vector<std::string_view>{known.begin(), known.end()});
}

/// The innermost verb that was recognised.
const CLI::App& chosen_verb(const CLI::App& app) {
  const CLI::App* chosen = &app;
  while (!chosen->get_subcommands().empty()) chosen = chosen->get_subcommands().front();
  return *chosen;
}

std::string path_of(const CLI::App& verb) {
  return verb.get_parent() == nullptr ? verb.get_name() : path_of(*verb.get_parent()) + " " + verb.get_name();
}

std::vector<std::string> verbs_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(verb->get_name());
  }
  return names;
}

/// Without their dashes.
std::vector<std::string> options_of(const CLI::App& verb) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options()) {
    names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
  }
  return names;
}

std::string about_option(const CLI::App& verb, std::string_view written) {
  const std::string_view name = written.substr(0, written.find('='));
  const std::size_t dashes = std::min(name.find_first_not_of('-'), name.size());
  const std::vector<std::string> known = options_of(verb);
  const std::string_view near = nearest_of(name.substr(dashes), known);
  std::string text = fmt::format("error: `{}` has no option {}", path_of(verb), in_backticks(name));
  if (!near.empty()) text += fmt::format("\n    did you mean `--{}`?", near);
  return text;
}

std::string about_verb(const CLI::App& app, std::string_view written) {
  const std::vector<std::string> known = verbs_of(app);
  const std::string_view near = nearest_of(written, known);
  std::string text = app.get_parent() == nullptr
                         ? fmt::format("error: there is no verb '{}'", printable(written))
                         : fmt::format("error: `{}` has no verb '{}'", path_of(app), printable(written));
  if (!near.empty()) text += fmt::format("\n    did you mean `{} {}`?", path_of(app), near);
  return text;
}

std::string complaint(const CLI::App& app, const CLI::ParseError& error, std::string_view first) {
  const CLI::App& verb = chosen_verb(app);
  const bool wants_verb = !verbs_of(verb).empty();
  // A required option that is missing may have been mistyped; then it is among the remaining words.
  const bool is_left_over = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ||
                            dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  if (!wants_verb && !is_left_over) return fmt::format("error: {}", error.what());
  std::vector<std::string> left = verb.remaining();
  if (left.empty()) left = app.remaining(true);
  // Before any verb the parser keeps no remaining words: the first word is the problem.
  if (left.empty() && &verb == &app && !first.empty()) left.emplace_back(first);
  const auto option = std::find_if(left.begin(), left.end(), [](const std::string& word) {
    return word.size() > 1 && word.front() == '-';
  });
  if (option != left.end()) return about_option(verb, *option);
  if (wants_verb && !left.empty()) return about_verb(verb, left.front());
  if (wants_verb && is_left_over) {
    return fmt::format("error: `{}` needs a verb: {}", path_of(verb), fmt::join(verbs_of(verb), ", "));
  }
  return fmt::format("error: {}", error.what());
}

}  // namespace

std::string usage_complaint(const CLI::App& app, const CLI::ParseError& error, std::string_view first) {
  return fmt::format("{}\n    `{} --help` shows what there is", complaint(app, error, first),
                     path_of(chosen_verb(app)));
}

CLI::Validator one_of(std::vector<std::string> words) {
  const std::string description = fmt::format("{{{}}}", fmt::join(words, ","));
  return CLI::Validator{[words = std::move(words)](const std::string& written) -> std::string {
                          if (std::find(words.begin(), words.end(), written) != words.end()) return {};
                          const std::string_view near = nearest_of(written, words);
                          return fmt::format("{} is none of {}{}", in_backticks(written),
                                             fmt::join(words, ", "),
                                             near.empty() ? "" : fmt::format("; did you mean `{}`?", near));
                        },
                        description};
}

}  // namespace tactus::cli
