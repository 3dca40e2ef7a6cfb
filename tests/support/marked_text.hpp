// A text with marks where problems must be reported.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tactus::test {

/// The text without its marks, and line and column of each of them.
struct Marked {
  std::string text;
  std::vector<std::pair<int, int>> places;
};

/// Marks are written as `@`.
inline Marked take_marks(const std::string& text) {
  Marked marked;
  int line = 1;
  int column = 1;
  for (const char c : text) {
    if (c == '@') {
      marked.places.emplace_back(line, column);
      continue;
    }
    marked.text += c;
    const bool begins_a_character = (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
    const bool is_byte_order_mark = marked.text == "\xef";
    if (begins_a_character && !is_byte_order_mark) ++column;
    if (c == '\n') {
      ++line;
      column = 1;
    }
  }
  return marked;
}

}  // namespace tactus::test
