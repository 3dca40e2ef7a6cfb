// Text as a terminal shows it: columns are not bytes, and lines fit its width.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::report {

/// Columns that text without control characters takes: none for combining marks, two for wide East Asian
/// characters and emoji.
std::size_t display_width(std::string_view text);

/// The text, cut with an ellipsis where it is wider than `width` columns.
std::string shortened(std::string_view text, std::size_t width);

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
