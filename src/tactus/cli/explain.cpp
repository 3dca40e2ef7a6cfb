// tactus explain: explains an analysis, a message or a term.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/analysis/references.hpp"
#include "tactus/analysis/registry.hpp"
#include "tactus/base/error.hpp"
#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/cli/command_tree.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/io/schema.hpp"
#include "tactus/report/glossary.hpp"
#include "tactus/report/problem_help.hpp"

namespace tactus::cli {

using analysis::Analysis;

namespace {

constexpr std::string_view examples = R"(
Examples:
  tactus explain                  everything that can be explained
  tactus explain np-edf           an analysis: what it claims, of which systems, where it is from
  tactus explain missing-unit     a message, by the id in brackets behind it
  tactus explain on_miss          a key of system files
  tactus explain unproven         a verdict, a strategy, a term such as "virtual SM")";

/// A paragraph; the caller wraps it to the width of the terminal.
std::string paragraph(std::string_view text) { return fmt::format("  {}\n", text); }

std::string indented(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    result += fmt::format("    {}\n", printable(text.substr(0, end), std::string::npos));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

std::string verdicts_of(const Analysis& entry) {
  std::string text;
  const bool counts = counts_for_verdict(entry);
  if (!entry.sound) {
    text +=
        "The formula as it was published. It is known to break, so its answers prove nothing and have no say "
        "in a verdict; it runs only when named. ";
  } else if (!counts) {
    text += fmt::format(
        "It holds only if {}. It is there for comparison, has no say in a verdict and runs only when named. ",
        entry.run_time_model);
  }
  switch (entry.kind) {
    case analysis::Kind::exact:
      text +=
          "schedulable: every deadline is met. unschedulable: some deadline can be missed; where that is not "
          "certain for the system at hand (its arrivals are not the ones of the theorem) it says unproven.";
      break;
    case analysis::Kind::sufficient:
      text +=
          "schedulable: every deadline is met. unproven: nothing is known, except where something is needed "
          "for more than all of its time: unschedulable.";
      break;
    case analysis::Kind::necessary:
      text +=
          "unschedulable: some deadline can be missed. unproven: nothing stands against the system, which "
          "proves nothing.";
      break;
  }
  return text + " gave-up: a limit was reached, and the reason names it.";
}

std::string text_of(const Analysis& entry) {
  std::string text = fmt::format("{}: an analysis\n\n", entry.id) + paragraph(entry.title) + "\n" +
                     paragraph(fmt::format("kind: {}", to_string(entry.kind))) +
                     paragraph(fmt::format("sound: {}", entry.sound ? "yes" : "no, as published")) +
                     paragraph(fmt::format("needs: {}", entry.needs)) +
                     paragraph(fmt::format("source: {}", entry.source));
  for (const analysis::Reference& reference : analysis::references_of(entry)) {
    text += "  " + paragraph(fmt::format("{}: {}.{}", reference.name, reference.citation,
                                         reference.doi.empty() ? "" : fmt::format(" doi:{}", reference.doi)));
  }
  return text + "\nWhat its verdicts mean:\n" + paragraph(verdicts_of(entry));
}

std::string text_of(const report::ProblemHelp& help) {
  return fmt::format("{}: {}\n\n{}\nFor example:\n\n{}\nWhat to do:\n{}", to_string(help.id), help.title,
                     paragraph(help.meaning), indented(help.example), paragraph(help.mending));
}

std::string text_of(const report::Term& term) {
  return fmt::format("{}: {} {}\n\n{}", term.word, term.kind == "order" ? "an" : "a", term.kind,
                     paragraph(term.meaning));
}

const std::vector<io::KeyMeaning>& keys_of_files() {
  static const std::vector<io::KeyMeaning> keys = io::key_meanings();
  return keys;
}

/// What a key of system files means wherever it may stand; empty where it is none.
std::string text_of_key(const std::string& word) {
  std::string text;
  for (const auto& [key, place, meaning] : keys_of_files()) {
    if (key == word)
      text += paragraph(fmt::format("{}{}{}: {}", place, place.empty() ? "" : ".", key, meaning));
  }
  return text.empty() ? text : fmt::format("{}: a key of system files (docs/format.md)\n\n{}", word, text);
}

std::string list_text() {
  const auto list = [](std::string_view title, const std::vector<std::string_view>& words) {
    std::string line;
    for (const std::string_view word : words) line += (line.empty() ? "" : ", ") + std::string{word};
    return fmt::format("{}:\n{}\n", title, paragraph(line));
  };
  std::vector<std::string_view> analyses;
  for (const Analysis& entry : analysis::registry()) analyses.push_back(entry.id);
  std::vector<std::string_view> messages;
  messages.reserve(problem_names.size());
  for (const ProblemName& problem : problem_names) messages.push_back(problem.name);
  std::string text = list("analyses", analyses) + list("messages", messages);
  for (const auto& [kind, title] : {std::pair<std::string_view, std::string_view>{"verdict", "verdicts"},
                                    {"kind of analysis", "kinds of analyses"},
                                    {"strategy", "strategies"},
                                    {"order", "orders"},
                                    {"communication", "communication"},
                                    {"term", "terms"}}) {
    std::vector<std::string_view> words;
    for (const report::Term& term : report::glossary()) {
      if (term.kind == kind) words.push_back(term.word);
    }
    text += list(title, words);
  }
  std::vector<std::string_view> keys;
  for (const io::KeyMeaning& one : keys_of_files()) {
    if (std::ranges::find(keys, one.key) == keys.end()) keys.emplace_back(one.key);
  }
  return text + list("keys of system files", keys) + "`tactus explain WORD` explains one of them.\n";
}

std::string explanation(const std::string& word) {
  if (const Analysis* entry = analysis::find(word)) return text_of(*entry);
  const auto problem = std::find_if(problem_names.begin(), problem_names.end(),
                                    [&](const ProblemName& name) { return name.name == word; });
  if (problem != problem_names.end()) return text_of(report::help_of(problem->id));
  if (const report::Term* term = report::find_term(word)) return text_of(*term);
  if (std::string text = text_of_key(word); !text.empty()) return text;
  const std::string_view near = nearest_name(word, explained_words());
  throw InputError{fmt::format("there is nothing to explain about {}", in_backticks(word)),
                   near.empty()
                       ? "`tactus explain` lists what there is"
                       : fmt::format("did you mean `{}`? `tactus explain` lists what there is", near)};
}

int run(const std::vector<std::string>& words) {
  if (words.empty()) {
    print_text(list_text());
    return answer_yes;
  }
  // Several words are joined, so that "virtual SM" needs no quotes.
  std::string joined;
  for (const std::string& word : words) joined += (joined.empty() ? "" : " ") + word;
  if (words.size() > 1 && report::find_term(joined) != nullptr) {
    print_text(explanation(joined));
    return answer_yes;
  }
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : "\n") + explanation(word);
  print_text(text);
  return answer_yes;
}

}  // namespace

std::vector<std::string_view> explained_words() {
  std::vector<std::string_view> words;
  for (const Analysis& entry : analysis::registry()) words.push_back(entry.id);
  for (const ProblemName& problem : problem_names) words.push_back(problem.name);
  for (const report::Term& term : report::glossary()) words.push_back(term.word);
  for (const io::KeyMeaning& one : keys_of_files()) {
    if (std::ranges::find(words, one.key) == words.end()) words.emplace_back(one.key);
  }
  return words;
}

void add_explain(Verb app) {
  const Verb verb = app.add_verb("explain", "What does it mean? Explains an analysis, a message or a word");
  const auto words = std::make_shared<std::vector<std::string>>();
  verb.add_option("WORD", *words, "An id of an analysis or a message, or a word of files and results");
  verb.footer(examples);
  verb.runs([words] { return run(*words); });
}

}  // namespace tactus::cli
