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

/// The text as a message may show it: what is not printable is escaped, and it is cut after `most`
/// characters.
std::string printable(std::string_view text, std::size_t most = 60);

/// The same between backquotes.
std::string in_backticks(std::string_view text);

}  // namespace tactus
