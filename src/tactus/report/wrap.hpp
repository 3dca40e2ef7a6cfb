// Text in lines that fit a terminal.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::report {

/// A width that nothing exceeds.
constexpr std::size_t any_width = std::numeric_limits<std::size_t>::max();

/// Columns that text takes on a terminal; its colours take none.
std::size_t shown_width(std::string_view text);

/// The text in lines of at most `width` columns, broken at single spaces. A word that is wider than that has
/// a line of its own.
std::vector<std::string> lines_of(std::string_view text, std::size_t width);

/// Every line of the text that is too wide is broken; what follows is indented as its text was, and by
/// `indent` more. Text begins behind the indentation, or behind columns (words with two spaces or more behind
/// them).
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent = 0);

}  // namespace tactus::report
