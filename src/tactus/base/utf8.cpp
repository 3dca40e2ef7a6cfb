#include "tactus/base/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>

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

namespace {

/// Escapes one character that could disturb a terminal.
std::string escaped(std::string_view text, std::size_t offset, const Character& character) {
  if (character.bytes == 0) return fmt::format("\\x{:02x}", byte_at(text, offset));
  switch (character.code) {
    case '\n':
      return "\\n";
    case '\t':
      return "\\t";
    case '\r':
      return "\\r";
    default:
      break;
  }
  const auto code = static_cast<unsigned>(character.code);
  return code < 0x7f ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
}

/// The length of the prefix that needs no escaping: usually all of the text.
std::size_t plain_characters(std::string_view text) {
  const auto end = std::find_if(text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; });
  return static_cast<std::size_t>(end - text.begin());
}

/// Bytes of a sequence that sets colours, if one begins here.
std::size_t colour_sequence(std::string_view text, std::size_t offset) {
  if (!text.substr(offset).starts_with("\x1b[")) return 0;
  const std::size_t end = text.find_first_not_of("0123456789;", offset + 2);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 - offset : 0;
}

}  // namespace

std::string printable(std::string_view text, std::size_t most) {
  std::string result;
  std::size_t count = 0;
  for (std::size_t offset = 0; offset < text.size(); ++count) {
    if (count == most) return result + "...";
    const Character character = character_at(text, offset);
    if (character.bytes == 0 || is_disturbing(character.code)) {
      result += escaped(text, offset, character);
    } else {
      result += text.substr(offset, character.bytes);
    }
    offset += std::max<std::size_t>(character.bytes, 1);
  }
  return result;
}

std::string shown(std::string_view text) { return printable(text, std::string_view::npos); }

std::string tame(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t offset = 0; offset < text.size();) {
    const std::size_t plain = plain_characters(text.substr(offset));
    result += text.substr(offset, plain);
    offset += plain;
    if (offset == text.size()) break;
    const Character character = character_at(text, offset);
    const std::size_t colour = colour_sequence(text, offset);
    const std::size_t bytes = std::max<std::size_t>({character.bytes, colour, 1});
    const bool is_layout = character.code == '\n' || character.code == '\t' || colour > 0;
    if (character.bytes == 0 || (is_disturbing(character.code) && !is_layout)) {
      result += escaped(text, offset, character);
    } else {
      result += text.substr(offset, bytes);
    }
    offset += bytes;
  }
  return result;
}

std::string in_backticks(std::string_view text) { return "`" + printable(text) + "`"; }

}  // namespace tactus
