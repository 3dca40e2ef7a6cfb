// The standard streams of the command: how wide and colourful they are, and what is written to them. A
// failure to write them is always detected; `say` and `print` are the only functions that write.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

#include "tactus/base/error.hpp"

namespace tactus::cli {

/// The width of the terminal behind `file`: COLUMNS if it is a number, otherwise what the terminal reports.
/// Nothing if neither is known.
std::optional<std::size_t> columns_of(int file);

/// For tables and sentences on stdout. Unlimited if no width is known, because lines that programs read must
/// not be wrapped.
std::size_t text_width();

/// For output that needs a width (pictures, help): 100 columns if none is known.
std::size_t picture_width();

/// `--color`: auto, always or never.
void choose_colour(std::string_view when);

/// `always` and `never` decide. Otherwise NO_COLOR (not empty) means no, then CLICOLOR_FORCE (neither empty
/// nor 0) means yes; otherwise colours are used on a terminal that is not "dumb".
bool wants_colour();

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

/// Messages go to stderr, results to stdout; control characters (in names, paths) are escaped. `say` never
/// throws: a lost message makes the final status a failure. `print` throws when the output cannot be written.
void say(std::string_view message);
void print(std::string_view text);
/// Results for users: lines wider than the terminal are wrapped at spaces.
void print_text(std::string_view text);

/// "1 job", "2 jobs".
std::string plural(std::uint64_t count, std::string_view noun);
std::string plural(std::signed_integral auto count, std::string_view noun) {
  return plural(static_cast<std::uint64_t>(count), noun);
}

/// Prints every problem with the line of the file, wrapped to the width of the terminal.
void say_problems(const InputError& error);

}  // namespace tactus::cli
