// How Tactus says what is wrong: where, what, and what to do about it.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tactus/base/problem_id.hpp"

namespace tactus {

/// One problem of an input. Line and column count from 1; 0 means the file as a whole, or no file.
struct Problem {
  std::string file;
  int line = 0;
  int column = 0;
  std::string message;
  std::string hint;  // what to do; may be empty
  ProblemId id = ProblemId::wrong_usage;
  std::string source{};  // the line of the file it is in, as it stands there; may be empty

  friend bool operator==(const Problem&, const Problem&) = default;
};

/// "file:line:column: error: message" and, on a line of its own, the hint.
std::string to_string(const Problem& problem);

/// The input is wrong. Carries every problem found, not only the first. Exit status 2.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Problem> problems);
  explicit InputError(const std::string& message, const std::string& hint = {});
  [[nodiscard]] const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

/// The environment failed: a file could not be written, a device did not answer. Exit status 3.
class FailureError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The text of an errno value, such as "Operation not permitted".
std::string error_text(int error);

}  // namespace tactus
