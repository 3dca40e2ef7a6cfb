// Text as people see it: characters instead of bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tactus {

/// One character and the number of bytes it takes.
struct Character {
  char32_t code = 0;
  std::size_t bytes = 0;  // 0: no valid UTF-8 here
};

/// The character that begins at `offset`, which lies inside the text.
Character character_at(std::string_view text, std::size_t offset);

/// Offset of the first byte that is not part of valid UTF-8.
std::optional<std::size_t> find_invalid_utf8(std::string_view text);

/// Characters of valid UTF-8.
std::size_t count_characters(std::string_view text);

/// Characters that move the cursor instead of showing something (C0, DEL and C1).
constexpr bool is_control(char32_t code) { return code < 0x20 || (code >= 0x7f && code < 0xa0); }

/// Characters that affect the text around them: controls, changes of text direction, invisible line
/// ends, byte order marks.
constexpr bool is_disturbing(char32_t code) {
  return is_control(code) || code == 0x061c || (code >= 0x200e && code <= 0x200f) ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code == 0xfeff ||
         code == 0xfffe || code == 0xffff;
}

/// The text as a message may show it: such characters and bytes that are not UTF-8 are escaped, and it is
/// cut after `most` characters.
std::string printable(std::string_view text, std::size_t most = 60);

/// The same without a cut: valid UTF-8 whatever the text was. For names and paths.
std::string shown(std::string_view text);

/// For a terminal: lines, tabs and colours (ESC [ ... m) stay, other control characters are escaped. In
/// JSON the escapes stand for the original characters.
std::string tame(std::string_view text);

/// The same between backquotes.
std::string in_backticks(std::string_view text);

}  // namespace tactus
