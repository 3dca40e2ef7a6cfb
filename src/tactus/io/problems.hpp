// The problems of a text, collected in any order, reported in the order of the file.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tactus/base/error.hpp"

namespace tactus::io {

/// Line and column, both counted from 1; columns count characters.
struct TextPosition {
  int line = 1;
  int column = 1;
  friend bool operator==(const TextPosition&, const TextPosition&) = default;
};

/// Maps byte offsets of a text to lines and columns. A byte order mark takes no column. The text must outlive
/// it. Where a text has very many lines, or very long ones, both cost as little as elsewhere.
class TextPositions {
 public:
  explicit TextPositions(std::string_view text);
  [[nodiscard]] TextPosition at(std::size_t offset) const;
  /// The first offset past the text and its end.
  [[nodiscard]] std::size_t behind() const { return skipped_ + text_.size() + 1; }
  /// The line, counted from 1, without its end; empty when it is too long to be shown.
  [[nodiscard]] std::string_view line(int number) const;

 private:
  std::size_t skipped_ = 0;  // of a byte order mark
  std::string_view text_;
  std::vector<TextPosition> marks_;  // one every so many bytes
};

class ProblemList {
 public:
  /// A problem of the text at byte `offset`.
  void add(ProblemId id, std::size_t offset, std::string message, std::string hint);
  void add(std::size_t offset, std::string message, std::string hint) {
    add(ProblemId::invalid_value, offset, std::move(message), std::move(hint));
  }
  [[nodiscard]] bool empty() const { return found_.empty(); }

  /// The first problems in the order of the text, the same one only once; a last line counts the rest.
  /// Offsets past the text belong to `others`, one each: such a problem has that name and no position.
  [[nodiscard]] std::vector<Problem> in_file_order(const TextPositions& places, const std::string& file,
                                                   std::span<const std::string> others = {}) &&;

 private:
  struct Found {
    ProblemId id{};
    std::size_t offset = 0;
    std::string message;
    std::string hint;
    friend bool operator==(const Found&, const Found&) = default;
  };
  std::vector<Found> found_;
  std::size_t not_kept_ = 0;
};

}  // namespace tactus::io
