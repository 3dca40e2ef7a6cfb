// Plain text tables.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tactus::report {

enum class Align : std::uint8_t { left, right };

/// What a cell says beyond its text; shown as a colour where the caller wants colours.
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

  /// Missing cells at the end are empty.
  void add_row(std::vector<Cell> cells);

  /// One line for the headers, one of dashes, one a row; columns are two spaces apart and no line ends in
  /// spaces. Terminal colours only if `colour`.
  [[nodiscard]] std::string to_text(bool colour) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

/// The text between terminal codes for its tone; the text alone without `colour`.
std::string toned(const std::string& text, Tone tone, bool colour);

}  // namespace tactus::report
