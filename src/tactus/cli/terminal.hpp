// Properties of the terminal: its width and whether to use colours.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

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

}  // namespace tactus::cli
