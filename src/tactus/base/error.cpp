#include "tactus/base/error.hpp"

#include <system_error>

namespace tactus {

std::string to_string(const Problem& problem) {
  std::string text = problem.file;
  if (problem.line > 0) {
    text += ":" + std::to_string(problem.line) + ":" + std::to_string(problem.column);
  }
  if (!text.empty()) text += ": ";
  text += "error: " + problem.message;
  if (!problem.hint.empty()) text += "\n    " + problem.hint;
  return text;
}

namespace {

std::string join(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) {
    if (!text.empty()) text += "\n";
    text += to_string(problem);
  }
  return text;
}

}  // namespace

InputError::InputError(std::vector<Problem> problems)
    : std::runtime_error{join(problems)}, problems_{std::move(problems)} {}

InputError::InputError(const std::string& message, const std::string& hint)
    : InputError{std::vector{Problem{.file = {}, .line = 0, .column = 0, .message = message, .hint = hint}}} {
}

std::string error_text(int error) { return std::generic_category().message(error); }

}  // namespace tactus
