#include "tactus/cli/verb.hpp"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <optional>
#include <utility>

#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"

namespace tactus::cli {

VerbOption& VerbOption::required() {
  option_->required();
  return *this;
}

VerbOption& VerbOption::type_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}

VerbOption& VerbOption::one_of(std::vector<std::string> words) {
  const std::string description = fmt::format("{{{}}}", fmt::join(words, ","));
  option_->check(
      CLI::Validator{[words = std::move(words)](const std::string& written) -> std::string {
                       if (std::find(words.begin(), words.end(), written) != words.end()) return {};
                       const std::string_view near =
                           nearest_name(written, std::vector<std::string_view>{words.begin(), words.end()});
                       return fmt::format("{} is none of {}{}", in_backticks(written), fmt::join(words, ", "),
                                          near.empty() ? "" : fmt::format("; did you mean `{}`?", near));
                     },
                     description});
  return *this;
}

VerbOption& VerbOption::between(std::int64_t least, std::int64_t most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

VerbOption& VerbOption::delimiter(char between_values) {
  option_->delimiter(between_values);
  return *this;
}

VerbOption& VerbOption::repeats() {
  option_->expected(1)->take_all();
  return *this;
}

VerbOption& VerbOption::capture_default() {
  option_->capture_default_str();
  return *this;
}

Verb Verb::add_verb(const std::string& name, const std::string& description) const {
  return Verb{*app_->add_subcommand(name, description), *action_};
}

template <class Value>
VerbOption Verb::add_option(const std::string& name, Value& value, const std::string& help) const {
  return VerbOption{*app_->add_option(name, value, help)};
}
template VerbOption Verb::add_option(const std::string&, std::string&, const std::string&) const;
template VerbOption Verb::add_option(const std::string&, std::vector<std::string>&, const std::string&) const;
template VerbOption Verb::add_option(const std::string&, std::vector<int>&, const std::string&) const;
template VerbOption Verb::add_option(const std::string&, std::int64_t&, const std::string&) const;
template VerbOption Verb::add_option(const std::string&, std::uint64_t&, const std::string&) const;
template VerbOption Verb::add_option(const std::string&, unsigned&, const std::string&) const;
template VerbOption Verb::add_option(const std::string&, std::vector<unsigned>&, const std::string&) const;
template VerbOption Verb::add_option(const std::string&, std::optional<int>&, const std::string&) const;
template VerbOption Verb::add_option(const std::string&, std::optional<std::int64_t>&,
                                     const std::string&) const;

VerbOption Verb::add_flag(const std::string& name, bool& value, const std::string& help) const {
  return VerbOption{*app_->add_flag(name, value, help)};
}

void Verb::footer(std::string_view text) const { app_->footer(std::string{text}); }

void Verb::hide() const { app_->group(""); }

void Verb::require_verb() const { app_->require_subcommand(1); }

void Verb::runs(Action run) const {
  app_->callback([action = action_, run = std::move(run)] { *action = run; });
}

}  // namespace tactus::cli
