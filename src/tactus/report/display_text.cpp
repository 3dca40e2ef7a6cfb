#include "tactus/report/display_text.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "tactus/base/utf8.hpp"

namespace tactus::report {

namespace {

constexpr char32_t replacement = 0xFFFD;
constexpr std::string_view ellipsis = "\xE2\x80\xA6";

struct Range {
  char32_t first;
  char32_t last;
};

// The Unicode blocks whose characters take no column of their own, and those whose characters take two.
constexpr std::array<Range, 20> zero_width{
    {{0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A}, {0x064B, 0x065F},
     {0x06D6, 0x06DC}, {0x0900, 0x0902}, {0x093C, 0x093C}, {0x094D, 0x094D}, {0x0E31, 0x0E31},
     {0x0E34, 0x0E3A}, {0x0E47, 0x0E4E}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200D},
     {0x2060, 0x2064}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xE0100, 0xE01EF}}};
constexpr std::array<Range, 17> double_width{{{0x1100, 0x115F},
                                              {0x2E80, 0x303E},
                                              {0x3041, 0x33FF},
                                              {0x3400, 0x4DBF},
                                              {0x4E00, 0x9FFF},
                                              {0xA000, 0xA4CF},
                                              {0xA960, 0xA97F},
                                              {0xAC00, 0xD7A3},
                                              {0xF900, 0xFAFF},
                                              {0xFE30, 0xFE6F},
                                              {0xFF00, 0xFF60},
                                              {0xFFE0, 0xFFE6},
                                              {0x1F300, 0x1F64F},
                                              {0x1F680, 0x1F6FF},
                                              {0x1F900, 0x1F9FF},
                                              {0x1FA70, 0x1FAFF},
                                              {0x20000, 0x3FFFD}}};

bool contains(std::span<const Range> ranges, char32_t c) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [c](const Range& range) { return range.first <= c && c <= range.last; });
}

// The first character of non-empty text; an invalid byte counts as U+FFFD.
Character first_character(std::string_view text) {
  const Character character = character_at(text, 0);
  return character.bytes == 0 ? Character{.code = replacement, .bytes = 1} : character;
}

std::size_t width_of(char32_t c) {
  if (c < 0x300) return 1;
  if (contains(zero_width, c)) return 0;
  return contains(double_width, c) ? 2 : 1;
}

constexpr char escape = '\x1b';

/// Bytes of the colour that the text begins with.
std::size_t colour_bytes(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  const std::size_t end = text.find('m');
  return end == std::string_view::npos ? 0 : end + 1;
}

/// The first line may be of another width than those behind it.
std::vector<std::string> broken_up(std::string_view text, std::size_t first_width, std::size_t later_width) {
  std::vector<std::string> lines;
  std::size_t used = 0;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    const std::size_t width = shown_width(word);
    if (lines.empty() || used + 1 + width > (lines.size() == 1 ? first_width : later_width)) {
      lines.emplace_back(word);
      used = width;
    } else {
      lines.back().append(" ").append(word);
      used += 1 + width;
    }
    begin = end + 1;
  }
  return lines;
}

/// Where the text of a line begins: behind its indentation, or behind the columns in its first half.
std::size_t text_begin(std::string_view line, std::size_t width) {
  std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  for (std::size_t gap = begin; (gap = line.find("  ", gap)) != std::string_view::npos;) {
    gap = std::min(line.find_first_not_of(' ', gap), line.size());
    if (gap > width / 2) break;
    begin = gap;
  }
  return begin;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const auto [character, length] = first_character(text);
    width += width_of(character);
    text.remove_prefix(length);
  }
  return width;
}

std::string shortened(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string{text};
  if (width == 0) return {};
  std::size_t used = 0;
  std::size_t bytes = 0;
  while (bytes < text.size()) {
    const auto [character, length] = first_character(text.substr(bytes));
    if (used + width_of(character) > width - 1) break;
    used += width_of(character);
    bytes += length;
  }
  return std::string{text.substr(0, bytes)} + std::string{ellipsis};
}

std::vector<std::string> lines_of(std::string_view text, std::size_t width) {
  return broken_up(text, width, width);
}

std::size_t shown_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    if (const std::size_t colour = colour_bytes(text); colour > 0) {
      text.remove_prefix(colour);
      continue;
    }
    const std::size_t next = text.find(escape, 1);
    width += display_width(text.substr(0, next));
    text.remove_prefix(std::min(next, text.size()));
  }
  return width;
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const bool ended = end < text.size();
    text.remove_prefix(ended ? end + 1 : end);
    const std::size_t margin = text_begin(line, width);
    const std::string_view content = line.substr(margin);
    if (shown_width(line) <= width) {
      result += line;
    } else {
      const std::size_t room = width - std::min(width, margin);
      const std::vector<std::string> lines = broken_up(content, room, room - std::min(room, indent));
      result += std::string{line.substr(0, margin)} + lines.front();
      for (std::size_t i = 1; i < lines.size(); ++i)
        result += "\n" + std::string(margin + indent, ' ') + lines[i];
    }
    if (ended) result += "\n";
  }
  return result;
}

}  // namespace tactus::report
