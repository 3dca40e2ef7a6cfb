// The standard streams of the command: what cannot be written is never an accident, and never goes unnoticed.
// `say` and `print` (cli/verb.hpp) are the only ways to them.
#pragma once

#include <exception>

namespace tactus::cli {

/// Before anything is opened. A stream that is closed stays unusable instead of becoming the next file that
/// is opened; a write nobody reads, or beyond a limit, fails instead of ending the program.
void prepare_output();

/// Whoever read standard output has closed it: nobody is left to be told anything.
class ReaderIsGone : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "nobody reads standard output"; }
};

/// Writes what is still to be written. FailureError or ReaderIsGone when that is not possible, now or before.
void flush_output();

/// The status to end with: lost messages make a failure of every answer but an interruption.
[[nodiscard]] int status_with_messages(int status);

}  // namespace tactus::cli
