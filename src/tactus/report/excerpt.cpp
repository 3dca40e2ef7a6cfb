#include "tactus/report/excerpt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "tactus/base/utf8.hpp"
#include "tactus/report/display_text.hpp"

namespace tactus::report {

namespace {

constexpr std::string_view ellipsis = "...";

struct Glyph {
  std::string text;
  std::size_t width = 0;
};

/// The line, character by character, as a terminal may show it. A tab is one column wide, so that the caret
/// of a column that counts characters is at the right place.
std::vector<Glyph> glyphs_of(std::string_view line) {
  std::string tabless{line};
  std::replace(tabless.begin(), tabless.end(), '\t', ' ');
  const std::string text = shown(tabless);
  std::vector<Glyph> glyphs;
  for (std::size_t offset = 0; offset < text.size();) {
    const std::size_t bytes = std::max<std::size_t>(character_at(text, offset).bytes, 1);
    const std::string one = text.substr(offset, bytes);
    glyphs.push_back({one, display_width(one)});
    offset += bytes;
  }
  return glyphs;
}

/// The column of each character, and the one after the last.
std::vector<std::size_t> columns_of(const std::vector<Glyph>& glyphs) {
  std::vector<std::size_t> columns{0};
  for (const Glyph& glyph : glyphs) columns.push_back(columns.back() + glyph.width);
  return columns;
}

}  // namespace

std::string excerpt(const Problem& problem, std::size_t width) {
  const bool is_blank = problem.source.find_first_not_of(" \t") == std::string::npos;
  if (problem.line < 1 || problem.column < 1 || is_blank || problem.id == ProblemId::more_problems) return {};
  const std::vector<Glyph> glyphs = glyphs_of(problem.source);
  const std::vector<std::size_t> columns = columns_of(glyphs);
  const std::size_t place = std::min(static_cast<std::size_t>(problem.column) - 1, glyphs.size());
  const std::string number = std::to_string(problem.line);
  const std::string indent = "    ";
  const std::size_t taken = indent.size() + number.size() + std::string_view{" | "}.size();
  constexpr std::size_t min_room = 20;
  const std::size_t room = std::max(width, taken + min_room) - taken;

  // The shown part starts far enough to the right to include the position and some text after it.
  std::size_t first = 0;
  const std::size_t before = room / 2;
  if (columns.back() > room) {
    while (first < place && columns[place] - columns[first] > before) ++first;
  }
  std::string line{first > 0 ? ellipsis : ""};
  std::size_t column = display_width(line);
  const std::size_t caret = column + columns[place] - columns[first];
  std::size_t last = first;
  for (; last < glyphs.size(); ++last) {
    const bool rest_fits = column + columns.back() - columns[last] <= room;
    if (!rest_fits && column + glyphs[last].width + ellipsis.size() > room) break;
    line += glyphs[last].text;
    column += glyphs[last].width;
  }
  if (last < glyphs.size()) line += ellipsis;
  return fmt::format("{0}{1} | {2}\n{0}{3:{4}} | {3:{5}}^", indent, number, line, "", number.size(), caret);
}

std::string told(const Problem& problem, std::size_t width) {
  Problem head = problem;
  head.hint.clear();
  std::string text = to_string(head);
  if (problem.id != ProblemId::wrong_usage) text += fmt::format(" [{}]", to_string(problem.id));
  if (const std::string shown = excerpt(problem, width); !shown.empty()) text += "\n" + shown;
  if (!problem.hint.empty()) text += "\n    " + problem.hint;
  return text;
}

std::string told(const InputError& error, std::size_t width) {
  std::string text;
  for (const Problem& problem : error.problems()) text += (text.empty() ? "" : "\n") + told(problem, width);
  return text;
}

}  // namespace tactus::report
