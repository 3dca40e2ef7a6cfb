// The standard streams of the command. A failure to write them is always detected. `say` and `print`
// (cli/verb.hpp) are the only functions that write to them.
#pragma once

#include <exception>

namespace tactus::cli {

/// Must be called before any file is opened. A standard stream that is closed stays unusable, instead of
/// becoming the next file that is opened. A write to a closed pipe, or beyond a file size limit, fails
/// instead of ending the program.
void prepare_output();

/// The reader of standard output has closed it, so no message is useful any more.
class ReaderIsGone : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "nobody reads standard output"; }
};

/// Flushes standard output. FailureError or ReaderIsGone if that fails, or failed before.
void flush_output();

/// The final exit status: lost messages turn every status except an interruption into a failure.
[[nodiscard]] int status_with_messages(int status);

}  // namespace tactus::cli
