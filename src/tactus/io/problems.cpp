#include "tactus/io/problems.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tactus/base/utf8.hpp"

namespace tactus::io {

namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
constexpr std::size_t max_kept = 100'000;  // a hostile file could hold millions
constexpr std::size_t max_told = 100;
constexpr std::size_t bytes_per_mark = 1024;

/// Where the text goes on behind this.
TextPosition after(TextPosition place, std::string_view passed) {
  if (const std::size_t end = passed.rfind('\n'); end != std::string_view::npos) {
    place.line += static_cast<int>(std::count(passed.begin(), passed.end(), '\n'));
    place.column = 1;
    passed.remove_prefix(end + 1);
  }
  place.column += static_cast<int>(count_characters(passed));
  return place;
}

}  // namespace

TextPositions::TextPositions(std::string_view text)
    : skipped_{text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0}, text_{text.substr(skipped_)} {
  TextPosition here;
  for (std::size_t i = 0; i <= text_.size(); i += bytes_per_mark) {
    marks_.push_back(here);
    here = after(here, text_.substr(i, bytes_per_mark));
  }
}

TextPosition TextPositions::at(std::size_t offset) const {
  offset = std::min(offset - std::min(offset, skipped_), text_.size());
  const std::size_t mark = offset / bytes_per_mark;
  return after(marks_[mark], text_.substr(mark * bytes_per_mark, offset % bytes_per_mark));
}

std::string_view TextPositions::line(int number) const {
  constexpr std::size_t max_bytes = 4096;
  if (number < 1) return {};
  // The line begins behind the last mark in a line before it.
  const auto next = std::partition_point(marks_.begin(), marks_.end(),
                                         [number](const TextPosition& one) { return one.line < number; });
  const auto mark = next == marks_.begin() ? next : next - 1;
  std::size_t begin = static_cast<std::size_t>(mark - marks_.begin()) * bytes_per_mark;
  for (int line = mark->line; line < number; ++line) {
    begin = text_.find('\n', begin);
    if (begin == std::string_view::npos) return {};
    ++begin;
  }
  const std::string_view rest = text_.substr(begin, max_bytes + 2);
  const std::string_view line = rest.substr(0, rest.find_first_of("\r\n"));
  return line.size() <= max_bytes ? line : std::string_view{};
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
