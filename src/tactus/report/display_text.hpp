// Text as a terminal shows it: columns are not bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tactus::report {

/// The text with everything that could disturb a terminal or a document (control and direction characters,
/// bytes that are not UTF-8) escaped.
std::string harmless(std::string_view text);

/// Columns that harmless text takes: none for combining marks, two for wide East Asian characters and
/// emoji.
std::size_t display_width(std::string_view text);

/// The text, cut with an ellipsis where it is wider than `width` columns.
std::string shortened(std::string_view text, std::size_t width);

}  // namespace tactus::report
