#include "tactus/report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>

#include "tactus/base/utf8.hpp"

namespace tactus::report {

namespace {

/// The narrowest that a column of broken text and one of shortened names may become.
constexpr std::size_t narrowest_text = 24;
constexpr std::size_t narrowest_name = 12;

std::size_t longest_word(const std::string& text) {
  std::size_t longest = 0;
  for (const std::string& word : lines_of(text, 0)) longest = std::max(longest, display_width(word));
  return longest;
}

// `text` in a field of `width` columns; the last column of a table is not filled up on its right.
std::string padded(const std::string& text, const std::string& shown, std::size_t width, Align align,
                   bool last) {
  const std::string space(width - std::min(width, display_width(text)), ' ');
  if (align == Align::right) return space + shown;
  return last ? shown : shown + space;
}

}  // namespace

std::string toned(const std::string& text, Tone tone, bool colour) {
  if (!colour || text.empty() || tone == Tone::plain) return text;
  constexpr std::array<std::string_view, 5> codes{"", "1", "32", "1;31", "2"};  // in the order of the tones
  return fmt::format("\x1b[{}m{}\x1b[0m", codes.at(static_cast<std::size_t>(tone)), text);
}

Table::Table(const std::vector<std::string>& left, const std::vector<std::string>& right,
             const std::vector<std::string>& last) {
  for (const std::string& header : left) columns_.push_back({header, Align::left});
  for (const std::string& header : right) columns_.push_back({header, Align::right});
  for (const std::string& header : last) columns_.push_back({header, Align::left});
}

void Table::add_row(std::vector<Cell> cells) {
  if (cells.size() > columns_.size())
    throw std::invalid_argument{"a row has more cells than the table columns"};
  for (Cell& cell : cells) cell.text = shown(cell.text);
  cells.resize(columns_.size(), Cell{""});
  rows_.push_back(std::move(cells));
}

/// How wide the columns are, and how far apart.
struct Table::Layout {
  std::vector<std::size_t> widths;
  std::size_t gap = 2;
  std::size_t available = any_width;

  [[nodiscard]] std::size_t total() const {
    return std::accumulate(widths.begin(), widths.end(), gap * (widths.size() - 1));
  }
  [[nodiscard]] bool fits() const { return total() <= available; }
  /// Shrinks a column as needed, but not below `narrowest`.
  void narrow(std::size_t column, std::size_t narrowest) {
    if (fits() || widths[column] <= narrowest) return;
    widths[column] = std::max(narrowest, widths[column] - std::min(widths[column], total() - available));
  }
};

Table::Layout Table::layout_for(std::size_t width) const {
  Layout layout;
  layout.available = width;
  std::vector<std::size_t> content(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    for (const std::vector<Cell>& row : rows_) content[i] = std::max(content[i], display_width(row[i].text));
    layout.widths.push_back(std::max(content[i], display_width(columns_[i].header)));
  }
  const std::size_t last = columns_.size() - 1;
  const bool breaks = last > 0 && columns_[last].align == Align::left;
  if (breaks) layout.narrow(last, std::max(narrowest_text, display_width(columns_[last].header)));
  if (layout.fits()) return layout;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!(breaks && i == last)) layout.widths[i] = std::max(content[i], longest_word(columns_[i].header));
  }
  if (!layout.fits()) layout.gap = 1;
  if (columns_.front().align == Align::left) {
    layout.narrow(0, std::max(narrowest_name, longest_word(columns_.front().header)));
  }
  return layout;
}

/// Some columns of every row.
void Table::add_part(std::string& text, const Layout& layout, const std::vector<std::size_t>& part,
                     bool colour) const {
  using Lines = std::vector<std::string>;
  const auto add_lines = [&](auto lines_at, Tone fallback, auto tone_at, bool at_bottom) {
    std::vector<Lines> cells;
    std::size_t height = 1;
    for (const std::size_t i : part) {
      cells.push_back(lines_at(i));
      height = std::max(height, cells.back().size());
    }
    for (std::size_t row = 0; row < height; ++row) {
      std::string line;
      for (std::size_t k = 0; k < part.size(); ++k) {
        const std::size_t above = at_bottom ? height - cells[k].size() : 0;
        const std::string cell = row >= above && row - above < cells[k].size() ? cells[k][row - above] : "";
        const Tone tone = tone_at(part[k], fallback);
        if (k > 0) line.append(layout.gap, ' ');
        line += padded(cell, toned(cell, tone, colour), layout.widths[part[k]], columns_[part[k]].align,
                       k + 1 == part.size());
      }
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
  };
  const auto same_tone = [](std::size_t, Tone tone) { return tone; };
  add_lines([&](std::size_t i) { return lines_of(columns_[i].header, layout.widths[i]); }, Tone::strong,
            same_tone, true);
  add_lines([&](std::size_t i) { return Lines{std::string(layout.widths[i], '-')}; }, Tone::faint, same_tone,
            false);
  for (const std::vector<Cell>& row : rows_) {
    const auto lines = [&](std::size_t i) {
      const std::string& cell = row[i].text;
      if (display_width(cell) <= layout.widths[i]) return Lines{cell};
      return i == 0 ? Lines{shortened(cell, layout.widths[0])} : lines_of(cell, layout.widths[i]);
    };
    add_lines(
        lines, Tone::plain, [&](std::size_t i, Tone) { return row[i].tone; }, false);
  }
}

std::string Table::to_text(bool colour, std::size_t width) const {
  const Layout layout = layout_for(width);
  std::string text;
  for (std::size_t next = 0; next < columns_.size();) {
    std::vector<std::size_t> part{0};
    std::size_t used = layout.widths[0];
    next = std::max<std::size_t>(next, 1);
    while (next < columns_.size() &&
           (part.size() == 1 || used + layout.gap + layout.widths[next] <= layout.available)) {
      used += layout.gap + layout.widths[next];
      part.push_back(next++);
    }
    if (!text.empty()) text += "\n";
    add_part(text, layout, part, colour);
  }
  return text;
}

}  // namespace tactus::report
