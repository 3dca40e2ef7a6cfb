#include "tactus/base/utf8.hpp"

#include <fmt/format.h>

namespace tactus {

namespace {

constexpr unsigned byte_at(std::string_view text, std::size_t offset) {
  return static_cast<unsigned char>(text[offset]);
}

}  // namespace

Character character_at(std::string_view text, std::size_t offset) {
  const unsigned first = byte_at(text, offset);
  if (first < 0x80) return {.code = first, .bytes = 1};
  std::size_t bytes = 0;
  char32_t code = 0;
  char32_t least = 0;  // smaller codes have a shorter form, so this one is not allowed
  if ((first & 0xe0U) == 0xc0U) {
    bytes = 2;
    code = first & 0x1fU;
    least = 0x80;
  } else if ((first & 0xf0U) == 0xe0U) {
    bytes = 3;
    code = first & 0x0fU;
    least = 0x800;
  } else if ((first & 0xf8U) == 0xf0U) {
    bytes = 4;
    code = first & 0x07U;
    least = 0x10000;
  }
  if (bytes == 0 || text.size() - offset < bytes) return {};
  for (std::size_t i = 1; i < bytes; ++i) {
    const unsigned next = byte_at(text, offset + i);
    if ((next & 0xc0U) != 0x80U) return {};
    code = (code << 6U) | (next & 0x3fU);
  }
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  if (code < least || code > 0x10ffff || surrogate) return {};
  return {.code = code, .bytes = bytes};
}

std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
  for (std::size_t offset = 0; offset < text.size();) {
    const Character character = character_at(text, offset);
    if (character.bytes == 0) return offset;
    offset += character.bytes;
  }
  return std::nullopt;
}

std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xc0U) != 0x80U) ++count;
  }
  return count;
}

std::string printable(std::string_view text, std::size_t most) {
  std::string result;
  std::size_t shown = 0;
  for (std::size_t offset = 0; offset < text.size(); ++shown) {
    if (shown == most) return result + "...";
    const Character character = character_at(text, offset);
    if (character.bytes == 0) {
      result += fmt::format("\\x{:02x}", byte_at(text, offset));
      ++offset;
      continue;
    }
    if (character.code == '\n') {
      result += "\\n";
    } else if (character.code == '\t') {
      result += "\\t";
    } else if (character.code == '\r') {
      result += "\\r";
    } else if (is_control(character.code)) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned>(character.code));
    } else {
      result += text.substr(offset, character.bytes);
    }
    offset += character.bytes;
  }
  return result;
}

std::string in_backticks(std::string_view text) { return "`" + printable(text) + "`"; }

}  // namespace tactus
