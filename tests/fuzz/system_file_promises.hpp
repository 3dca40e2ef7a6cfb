// What the reader of system files promises for every text, however broken. The fuzzer and an ordinary test
// over its corpus check the same promises.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "tactus/base/utf8.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/model/validate.hpp"

namespace tactus::test {

inline bool is_one_printable_line(std::string_view text) {
  for (std::size_t offset = 0; offset < text.size();) {
    const Character character = character_at(text, offset);
    if (character.bytes == 0 || is_control(character.code)) return false;
    offset += character.bytes;
  }
  return !text.empty();
}

/// The first promise about a text's problems that is not kept; empty when all are.
inline std::string broken_promise(std::string_view text, const ReadResult& result) {
  if (result.system.has_value() != result.problems.empty()) return "not exactly one of system and problems";
  const auto lines = std::count(text.begin(), text.end(), '\n') + 1;
  std::pair<int, int> last{1, 1};
  for (const Problem& problem : result.problems) {
    const std::string told = to_string(problem);
    const std::pair<int, int> place{problem.line, problem.column};
    if (problem.file != "fuzz.yaml") return "a problem without its file: " + told;
    if (problem.line < 1 || problem.column < 1) return "a problem without a place: " + told;
    if (problem.line > lines) return "a problem behind the end: " + told;
    if (place < last) return "problems not in file order: " + told;
    if (!is_one_printable_line(problem.message)) return "a message that cannot be printed: " + told;
    if (!is_one_printable_line(problem.hint)) return "a hint that cannot be printed: " + told;
    last = place;
  }
  if (result.problems.size() > 101) return "more problems than anyone reads";
  if (!result.system) return {};
  if (const std::vector<Violation> violations = validate(*result.system); !violations.empty()) {
    return "a system that is not valid: " + violations.front().path + ": " + violations.front().message;
  }
  return {};
}

/// The first promise that is not kept for a text; empty when all are.
inline std::string broken_promise(std::string_view text) {
  const ReadResult complete = read_system(text, "fuzz.yaml", Completeness::complete);
  const ReadResult planned = read_system(text, "fuzz.yaml", Completeness::to_be_planned);
  for (const ReadResult& result : {complete, planned}) {
    if (std::string broken = broken_promise(text, result); !broken.empty()) return broken;
  }
  if (complete.system && !find_missing_parameters(*complete.system).empty()) return "parameters are missing";
  if (complete.system && complete.system != planned.system) return "two readings differ";
  return {};
}

}  // namespace tactus::test
