#include "tactus/cli/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/cli/exit_status.hpp"
#include "tactus/report/display_text.hpp"
#include "tactus/report/excerpt.hpp"

namespace tactus::cli {

namespace {

// Narrower terminals are treated as this wide: less is not readable.
constexpr std::size_t narrowest = 40;
constexpr std::size_t usual_picture_width = 100;

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view{} : std::string_view{value};
}

std::string& colour_choice() {
  static std::string when = "auto";
  return when;
}

int output_error = 0;  // why standard output could not be written: the first errno
std::atomic<bool> message_lost{false};

/// A stream does not always keep the reason of a failure; a pipe without a reader can still be detected.
int reason_for(int error) {
  if (error != 0) return error;
  pollfd output{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  return ::poll(&output, 1, 0) > 0 && (output.revents & POLLERR) != 0 ? EPIPE : EIO;
}

/// Flushes standard output, and records the reason if that fails.
void flush_and_note() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  if (output_error == 0) output_error = reason_for(errno);
}

void throw_if_lost() {
  if (output_error == 0) return;
  if (output_error == EPIPE) throw ReaderIsGone{};
  throw FailureError{"standard output cannot be written: " + error_text(output_error)};
}

}  // namespace

std::optional<std::size_t> columns_of(int file) {
  const std::string_view said = variable("COLUMNS");
  std::size_t columns = 0;
  const auto [end, error] = std::from_chars(said.data(), said.data() + said.size(), columns);
  if (error == std::errc{} && end == said.data() + said.size() && columns > 0) {
    return std::max(columns, narrowest);
  }
  winsize size{};
  if (::isatty(file) != 1 || ::ioctl(file, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return std::max<std::size_t>(size.ws_col, narrowest);
}

std::size_t text_width() { return columns_of(STDOUT_FILENO).value_or(report::any_width); }

std::size_t picture_width() { return columns_of(STDOUT_FILENO).value_or(usual_picture_width); }

void choose_colour(std::string_view when) { colour_choice() = when; }

bool wants_colour() {
  if (colour_choice() != "auto") return colour_choice() == "always";
  if (!variable("NO_COLOR").empty()) return false;
  if (const std::string_view force = variable("CLICOLOR_FORCE"); !force.empty() && force != "0") return true;
  return ::isatty(STDOUT_FILENO) == 1 && variable("TERM") != "dumb";
}

void prepare_output() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) != -1 || errno != EBADF) continue;  // NOLINT(*-vararg)
    // Opened in the wrong direction, so that any use fails. `open` returns this number because it is the
    // lowest free one.
    static_cast<void>(::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));  // NOLINT(*-vararg)
  }
  for (const int signal : {SIGPIPE, SIGXFSZ}) static_cast<void>(std::signal(signal, SIG_IGN));
}

void say(std::string_view message) {
  flush_and_note();  // keeps the order of messages and results if both go to one file
  try {
    // Wrapped on a terminal only: programs need the lines as they are.
    constexpr std::size_t hanging = 2;
    const std::size_t width = columns_of(STDERR_FILENO).value_or(report::any_width);
    const std::string line = report::wrapped(tame(message), width, hanging) + "\n";
    if (std::fwrite(line.data(), 1, line.size(), stderr) != line.size()) message_lost = true;
  } catch (const std::bad_alloc&) {
    message_lost = true;
  }
}

void print(std::string_view text) {
  const std::string tamed = tame(text);
  errno = 0;
  if (std::fwrite(tamed.data(), 1, tamed.size(), stdout) != tamed.size() && output_error == 0) {
    output_error = reason_for(errno);
  }
  throw_if_lost();
}

void flush_output() {
  flush_and_note();
  throw_if_lost();
}

int status_with_messages(int status) {
  return message_lost && status != interrupted ? static_cast<int>(failure) : status;
}

void print_text(std::string_view text) { print(report::wrapped(text, text_width())); }

std::string plural(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", with_thousands(count), noun, count == 1 ? "" : "s");
}

void say_problems(const InputError& error) {
  constexpr std::size_t elsewhere = 100;
  say(report::told(error, columns_of(STDERR_FILENO).value_or(elsewhere)));
}

}  // namespace tactus::cli
