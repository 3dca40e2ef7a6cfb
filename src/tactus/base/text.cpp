#include "tactus/base/text.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

namespace tactus {

namespace {

struct TimeUnit {
  std::uint64_t nanoseconds;
  const char* name;
};

/// The largest unit that is not larger than the value.
TimeUnit unit_of(std::uint64_t value) {
  constexpr std::array<TimeUnit, 4> units{
      {{1'000'000'000, "s"}, {1'000'000, "ms"}, {1'000, "us"}, {1, "ns"}}};
  return *std::find_if(units.begin(), units.end() - 1,
                       [&](const TimeUnit& unit) { return value >= unit.nanoseconds; });
}

std::uint64_t magnitude(Duration d) {
  const auto bits = static_cast<std::uint64_t>(d.count());
  return d.count() < 0 ? 0 - bits : bits;
}

std::string text_of(std::uint64_t value, bool negative) {
  const TimeUnit unit = unit_of(value);
  std::string text = (negative ? "-" : "") + std::to_string(value / unit.nanoseconds);
  if (const std::uint64_t rest = value % unit.nanoseconds; rest != 0) {
    std::string digits = std::to_string(unit.nanoseconds + rest).substr(1);
    digits.erase(digits.find_last_not_of('0') + 1);
    text += "." + digits;
  }
  return text + unit.name;
}

/// To thousandths of the unit. Below 2^63 + 10^6, and so no overflow.
std::uint64_t rounded(std::uint64_t value, bool away_from_zero) {
  constexpr std::uint64_t shown = 1'000;
  const std::uint64_t step = std::max<std::uint64_t>(unit_of(value).nanoseconds / shown, 1);
  const std::uint64_t below = value - value % step;
  return away_from_zero && below != value ? below + step : below;
}

}  // namespace

std::string to_text(Duration d) { return text_of(magnitude(d), d.count() < 0); }

std::string to_text(Time t) { return to_text(t.time_since_epoch()); }

std::string rounded_text(Duration d, Rounding direction) {
  const bool negative = d.count() < 0;
  return text_of(rounded(magnitude(d), negative == (direction == Rounding::down)), negative);
}

std::string rounded_up_text(Duration d, std::optional<Duration> limit) {
  const bool beyond =
      limit && d.count() >= 0 && d <= *limit && rounded(magnitude(d), true) > magnitude(*limit);
  return beyond ? to_text(d) : rounded_text(d, Rounding::up);
}

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

/// Insertions, deletions, substitutions and swaps of neighbours that turn one word into the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last;
  std::vector<std::size_t> last(b.size() + 1);
  std::iota(last.begin(), last.end(), 0U);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::vector<std::size_t> row(b.size() + 1, i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = std::exchange(last, std::move(row));
  }
  return last[b.size()];
}

/// The distance of a word from a known one. A prefix of a long word is close to it.
std::size_t distance_between(std::string_view word, std::string_view candidate) {
  constexpr std::size_t shortest_beginning = 3;
  if (word.size() >= shortest_beginning && candidate.starts_with(word)) return candidate == word ? 0 : 1;
  return edit_distance(word, candidate);
}

}  // namespace

std::string_view nearest_name(std::string_view word, std::span<const std::string_view> known) {
  constexpr std::size_t longest_word = 64;
  if (word.size() > longest_word) return {};
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 2) + 1;
  for (const std::string_view candidate : known) {
    const std::size_t distance = distance_between(word, candidate);
    const bool shares_something = distance < std::max(word.size(), candidate.size());
    if (shares_something && distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace tactus
