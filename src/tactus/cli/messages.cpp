#include "tactus/cli/messages.hpp"

#include <unistd.h>

#include "tactus/cli/terminal.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/report/excerpt.hpp"

namespace tactus::cli {

void say_problems(const InputError& error) {
  constexpr std::size_t elsewhere = 100;
  say(report::told(error, columns_of(STDERR_FILENO).value_or(elsewhere)));
}

}  // namespace tactus::cli
