// What the terminal shows: how wide it is, and whether it wants colours.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tactus::cli {

/// Columns of the terminal behind `file`: COLUMNS where it says a number, or else what the terminal says.
/// Nothing where neither is there.
std::optional<std::size_t> columns_of(int file);

/// For tables and sentences on stdout. Where nobody says a width they are as wide as they are: lines that
/// programs read must not be broken.
std::size_t text_width();

/// For what needs some width (pictures, help): 100 columns where nobody says.
std::size_t picture_width();

/// `--color`: auto, always or never.
void choose_colour(std::string_view when);

/// `always` and `never` decide. Else NO_COLOR (not empty) says no, CLICOLOR_FORCE (neither empty nor 0) says
/// yes, and then it is wanted on a terminal that is not "dumb".
bool wants_colour();

}  // namespace tactus::cli
