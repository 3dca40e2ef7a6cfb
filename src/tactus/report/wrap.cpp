#include "tactus/report/wrap.hpp"

#include <algorithm>

#include "tactus/report/display_text.hpp"

namespace tactus::report {

namespace {

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
