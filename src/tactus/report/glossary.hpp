// The glossary: the terms of system files, results and the code.
#pragma once

#include <span>
#include <string_view>

namespace tactus::report {

struct Term {
  std::string_view word;
  std::string_view kind;   // "verdict", "strategy", "order", "kind of analysis" or "term"
  std::string_view topic;  // "The machine", "The work", "Sharing" or "Answers": a heading of docs/glossary.md
  std::string_view meaning;
};

/// Topic by topic.
std::span<const Term> glossary();

/// The entry of a word; case, plural, and spaces, hyphens or underscores make no difference.
/// Null when there is none.
const Term* find_term(std::string_view word);

}  // namespace tactus::report
