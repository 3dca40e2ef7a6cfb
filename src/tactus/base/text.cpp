#include "tactus/base/text.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace tactus {

std::string to_text(Duration d) {
  struct Unit {
    std::uint64_t nanoseconds;
    const char* name;
  };
  constexpr std::array<Unit, 4> units{{{1'000'000'000, "s"}, {1'000'000, "ms"}, {1'000, "us"}, {1, "ns"}}};
  const bool negative = d.count() < 0;
  const std::uint64_t value =
      negative ? 0 - static_cast<std::uint64_t>(d.count()) : static_cast<std::uint64_t>(d.count());
  const auto unit =
      std::find_if(units.begin(), units.end() - 1, [&](const Unit& u) { return value >= u.nanoseconds; });
  std::string text = (negative ? "-" : "") + std::to_string(value / unit->nanoseconds);
  if (const std::uint64_t rest = value % unit->nanoseconds; rest != 0) {
    std::string digits = std::to_string(unit->nanoseconds + rest).substr(1);
    digits.erase(digits.find_last_not_of('0') + 1);
    text += "." + digits;
  }
  return text + unit->name;
}

std::string to_text(Time t) { return to_text(t.time_since_epoch()); }

std::string size_text(std::int64_t bytes) {
  struct Unit {
    std::int64_t bytes;
    const char* name;
  };
  constexpr std::array<Unit, 7> units{{{1 << 30, "GiB"},
                                       {1'000'000'000, "GB"},
                                       {1 << 20, "MiB"},
                                       {1'000'000, "MB"},
                                       {1 << 10, "KiB"},
                                       {1'000, "kB"},
                                       {1, "B"}}};
  const auto unit = std::find_if(units.begin(), units.end() - 1,
                                 [&](const Unit& u) { return bytes != 0 && bytes % u.bytes == 0; });
  return std::to_string(bytes / unit->bytes) + unit->name;
}

std::string with_thousands(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t end = text.size(); end > 3; end -= 3) text.insert(end - 3, ",");
  return text;
}

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0U);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> known) {
  constexpr std::size_t longest_word = 64;
  if (word.size() > longest_word) return {};
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 2) + 1;
  for (const std::string_view candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    const bool shares_something = distance < std::max(word.size(), candidate.size());
    if (shares_something && distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace tactus
