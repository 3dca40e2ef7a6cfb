// Problems as text for people: with the line of the file and a caret below the position.
#pragma once

#include <cstddef>
#include <string>

#include "tactus/base/error.hpp"

namespace tactus::report {

/// The line that the problem is about and, below it, a caret at its column. At most `width` columns wide: of
/// a long line the part around the column is shown. Control characters are escaped. Empty where there is no
/// line to show.
std::string excerpt(const Problem& problem, std::size_t width);

/// Position, message and id (without the id for wrong usage, which `explain` does not cover); the excerpt;
/// the hint. Without a newline at the end.
std::string told(const Problem& problem, std::size_t width);

/// All of them, each on lines of its own.
std::string told(const InputError& error, std::size_t width);

}  // namespace tactus::report
