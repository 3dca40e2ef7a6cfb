#include "tactus/report/table.hpp"

#include <algorithm>
#include <stdexcept>

#include "tactus/report/display_text.hpp"

namespace tactus::report {

namespace {

constexpr const char* gap = "  ";

// `text` in a field of `width` columns; the last column of a table is not filled up on its right.
std::string padded(const std::string& text, const std::string& shown, std::size_t width, Align align,
                   bool last) {
  const std::string space(width - std::min(width, display_width(text)), ' ');
  if (align == Align::right) return space + shown;
  return last ? shown : shown + space;
}

}  // namespace

std::string toned(const std::string& text, Tone tone, bool colour) {
  if (!colour || text.empty()) return text;
  switch (tone) {
    case Tone::plain:
      return text;
    case Tone::strong:
      return "\x1b[1m" + text + "\x1b[0m";
    case Tone::good:
      return "\x1b[32m" + text + "\x1b[0m";
    case Tone::bad:
      return "\x1b[1;31m" + text + "\x1b[0m";
    case Tone::faint:
      return "\x1b[2m" + text + "\x1b[0m";
  }
  return text;
}

void Table::add_row(std::vector<Cell> cells) {
  if (cells.size() > columns_.size())
    throw std::invalid_argument{"a row has more cells than the table columns"};
  for (Cell& cell : cells) cell.text = harmless(cell.text);
  cells.resize(columns_.size(), Cell{""});
  rows_.push_back(std::move(cells));
}

std::string Table::to_text(bool colour) const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = display_width(columns_[i].header);
    for (const std::vector<Cell>& row : rows_) width = std::max(width, display_width(row[i].text));
    widths.push_back(width);
  }
  std::string text;
  const auto add_line = [&](auto cell_at) {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const Cell cell = cell_at(i);
      if (i > 0) line += gap;
      line += padded(cell.text, toned(cell.text, cell.tone, colour), widths[i], columns_[i].align,
                     i + 1 == columns_.size());
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  add_line([&](std::size_t i) { return Cell{columns_[i].header, Tone::strong}; });
  add_line([&](std::size_t i) { return Cell{std::string(widths[i], '-'), Tone::faint}; });
  for (const std::vector<Cell>& row : rows_) add_line([&](std::size_t i) { return row[i]; });
  return text;
}

}  // namespace tactus::report
