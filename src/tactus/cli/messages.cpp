#include "tactus/cli/messages.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include "tactus/cli/verb.hpp"
#include "tactus/report/excerpt.hpp"

namespace tactus::cli {

namespace {

/// Columns of the terminal that messages go to.
std::size_t message_width() {
  constexpr std::size_t elsewhere = 100;
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return elsewhere;
  return size.ws_col;
}

}  // namespace

void say_problems(const InputError& error) { say(report::told(error, message_width())); }

}  // namespace tactus::cli
