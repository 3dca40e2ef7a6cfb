// Plain text tables.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tactus/report/display_text.hpp"

namespace tactus::report {

enum class Align : std::uint8_t { left, right };

/// The meaning of a cell, shown as a colour where the caller wants colours.
enum class Tone : std::uint8_t { plain, strong, good, bad, faint };

struct Column {
  std::string header;
  Align align = Align::left;
};

struct Cell {
  std::string text;
  Tone tone = Tone::plain;

  Cell(std::string value, Tone how = Tone::plain)  // NOLINT(google-explicit-constructor)
      : text{std::move(value)}, tone{how} {}
  Cell(const char* value) : text{value} {}  // NOLINT(google-explicit-constructor)
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_{std::move(columns)} {}
  /// The headers of columns that are aligned left, then of those aligned right, then left again.
  Table(const std::vector<std::string>& left, const std::vector<std::string>& right,
        const std::vector<std::string>& last = {});

  /// Missing cells at the end are empty.
  void add_row(std::vector<Cell> cells);

  /// One line for the headers, one of dashes, one a row; columns are two spaces apart and no line ends in
  /// spaces. Terminal colours only if `colour`.
  /// A table that is wider than `width` is narrowed as far as needed, in this order: text in the last column
  /// is broken into lines, so are headers, columns move together, names of the first column are shortened,
  /// and at last the columns that do not fit follow below, beside the first column again.
  [[nodiscard]] std::string to_text(bool colour, std::size_t width = any_width) const;

 private:
  struct Layout;
  [[nodiscard]] Layout layout_for(std::size_t width) const;
  void add_part(std::string& text, const Layout& layout, const std::vector<std::size_t>& part,
                bool colour) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

/// The text between terminal codes for its tone; the text alone without `colour`.
std::string toned(const std::string& text, Tone tone, bool colour);

}  // namespace tactus::report
