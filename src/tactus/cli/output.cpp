#include "tactus/cli/output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string>

#include "tactus/base/error.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/report/wrap.hpp"

namespace tactus::cli {

namespace {

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

}  // namespace tactus::cli
