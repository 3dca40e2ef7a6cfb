// Problems, told to the user.
#pragma once

#include "tactus/base/error.hpp"

namespace tactus::cli {

/// Says every problem with the line of the file it is about, for the width of the terminal.
void say_problems(const InputError& error);

}  // namespace tactus::cli
