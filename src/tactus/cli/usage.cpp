// Messages about a wrong command line.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <algorithm>

#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/cli/command_tree.hpp"

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

std::vector<std::string> all_verbs(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(verb->get_name());
  }
  return names;
}

/// With the hidden ones, without their dashes.
std::vector<std::string> all_options(const CLI::App& verb) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options()) {
    names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
  }
  return names;
}

std::string about_option(const CLI::App& verb, std::string_view written) {
  const std::string_view name = written.substr(0, written.find('='));
  const std::size_t dashes = std::min(name.find_first_not_of('-'), name.size());
  const std::vector<std::string> known = all_options(verb);
  const std::string_view near = nearest_of(name.substr(dashes), known);
  std::string text = fmt::format("error: `{}` has no option {}", full_name(verb), in_backticks(name));
  if (!near.empty()) text += fmt::format("\n    did you mean `--{}`?", near);
  return text;
}

std::string about_verb(const CLI::App& app, std::string_view written) {
  const std::vector<std::string> known = all_verbs(app);
  const std::string_view near = nearest_of(written, known);
  std::string text = app.get_parent() == nullptr
                         ? fmt::format("error: there is no verb '{}'", printable(written))
                         : fmt::format("error: `{}` has no verb '{}'", full_name(app), printable(written));
  if (!near.empty()) text += fmt::format("\n    did you mean `{} {}`?", full_name(app), near);
  return text;
}

std::string complaint(const CLI::App& app, const CLI::ParseError& error, std::string_view first) {
  const CLI::App& verb = chosen_verb(app);
  const bool wants_verb = !all_verbs(verb).empty();
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
    return fmt::format("error: `{}` needs a verb: {}", full_name(verb), fmt::join(all_verbs(verb), ", "));
  }
  return fmt::format("error: {}", error.what());
}

}  // namespace

std::string usage_complaint(const CLI::App& app, const CLI::ParseError& error, std::string_view first) {
  return fmt::format("{}\n    `{} --help` shows what there is", complaint(app, error, first),
                     full_name(chosen_verb(app)));
}

}  // namespace tactus::cli
