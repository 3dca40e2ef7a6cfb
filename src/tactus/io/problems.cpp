#include "tactus/io/problems.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tactus/base/utf8.hpp"

namespace tactus::io {

namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
constexpr std::size_t max_kept = 100'000;  // a hostile file could hold millions
constexpr std::size_t max_told = 100;

}  // namespace

TextPositions::TextPositions(std::string_view text) : text_{text} {
  line_starts_.push_back(text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
  for (std::size_t i = text.find('\n'); i != std::string_view::npos; i = text.find('\n', i + 1)) {
    line_starts_.push_back(i + 1);
  }
}

TextPosition TextPositions::at(std::size_t offset) const {
  offset = std::clamp(offset, line_starts_.front(), std::max(text_.size(), line_starts_.front()));
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const std::size_t start = *(after - 1);
  return {.line = static_cast<int>(after - line_starts_.begin()),
          .column = static_cast<int>(count_characters(text_.substr(start, offset - start))) + 1};
}

std::string_view TextPositions::line(int number) const {
  constexpr std::size_t max_bytes = 4096;
  const auto index = static_cast<std::size_t>(number - 1);
  if (number < 1 || index >= line_starts_.size() || line_starts_[index] > text_.size()) return {};
  std::string_view rest = text_.substr(line_starts_[index]);
  rest = rest.substr(0, rest.find_first_of("\r\n"));
  return rest.size() <= max_bytes ? rest : std::string_view{};
}

void ProblemList::add(ProblemId id, std::size_t offset, std::string message, std::string hint) {
  if (found_.size() == max_kept) {
    ++not_kept_;
    return;
  }
  found_.push_back({id, offset, std::move(message), std::move(hint)});
}

std::vector<Problem> ProblemList::in_file_order(const TextPositions& places, const std::string& file,
                                                std::span<const std::string> others) && {
  std::stable_sort(found_.begin(), found_.end(),
                   [](const Found& a, const Found& b) { return a.offset < b.offset; });
  // A value that several aliases use is one problem.
  found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
  std::vector<Problem> problems;
  const std::string name = shown(file);
  const auto tell = [&](ProblemId id, std::size_t offset, std::string message, std::string hint) {
    Problem problem{.file = name, .message = std::move(message), .hint = std::move(hint), .id = id};
    if (offset >= places.behind() && offset - places.behind() < others.size()) {
      problem.file = others[offset - places.behind()];
    } else {
      const TextPosition place = places.at(offset);
      problem.line = place.line;
      problem.column = place.column;
      problem.source = places.line(place.line);
    }
    problems.push_back(std::move(problem));
  };
  const std::size_t told = std::min(found_.size(), max_told);
  for (std::size_t i = 0; i < told; ++i) {
    tell(found_[i].id, found_[i].offset, std::move(found_[i].message), std::move(found_[i].hint));
  }
  if (const std::size_t rest = found_.size() - told + not_kept_; rest > 0) {
    tell(ProblemId::more_problems, found_[std::min(told, found_.size() - 1)].offset,
         rest == 1 ? "1 more problem from here on" : fmt::format("{} more problems from here on", rest),
         "repair those above first");
  }
  return problems;
}

}  // namespace tactus::io
