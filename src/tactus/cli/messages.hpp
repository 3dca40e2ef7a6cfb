// Error messages for users.
#pragma once

#include "tactus/base/error.hpp"

namespace tactus::cli {

/// Prints every problem with the line of the file, wrapped to the width of the terminal.
void say_problems(const InputError& error);

}  // namespace tactus::cli
