#include "tactus/base/ratio_sum.hpp"

#include <algorithm>
#include <vector>

#include "tactus/base/big_natural.hpp"

namespace tactus {

std::optional<std::strong_ordering> compare(const RatioSum& sum, Ratio limit) {
  RatioSum bound;
  bound.add(limit);
  if (sum.lower() > bound.upper()) return std::strong_ordering::greater;
  if (sum.upper() < bound.lower()) return std::strong_ordering::less;
  const bool both_exact = sum.lower() == sum.upper() && bound.lower() == bound.upper();
  if (both_exact) return std::strong_ordering::equal;
  return std::nullopt;
}

std::strong_ordering compare_exactly(std::span<const Ratio> terms, Ratio limit) {
  // Terms with equal denominators are added first, so the numbers grow only with the different denominators.
  std::vector<Ratio> sorted(terms.begin(), terms.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const Ratio& a, const Ratio& b) { return a.denominator < b.denominator; });
  BigNatural numerator;
  BigNatural denominator{1};
  for (std::size_t first = 0; first < sorted.size();) {
    const auto shared = static_cast<std::uint64_t>(sorted[first].denominator);
    BigNatural added;  // the group's numerators over the new denominator
    for (; first < sorted.size() && static_cast<std::uint64_t>(sorted[first].denominator) == shared;
         ++first) {
      BigNatural term = denominator;
      term *= static_cast<std::uint64_t>(sorted[first].numerator);
      added += term;
    }
    numerator *= shared;
    numerator += added;
    denominator *= shared;
  }
  numerator *= static_cast<std::uint64_t>(limit.denominator);
  denominator *= static_cast<std::uint64_t>(limit.numerator);
  return numerator <=> denominator;
}

std::strong_ordering compare_sum(std::span<const Ratio> terms, Ratio limit) {
  RatioSum sum;
  for (const Ratio& term : terms) sum.add(term);
  if (const auto decided = compare(sum, limit)) return *decided;
  return compare_exactly(terms, limit);
}

namespace {

constexpr std::uint64_t million = 1'000'000;

/// Millionths, rounded down; `rest` says whether something was cut off.
UInt128 millionths(UInt128 value, bool& rest) {
  const UInt128 fraction = static_cast<UInt128>(static_cast<std::uint64_t>(value)) * million;
  rest = static_cast<std::uint64_t>(fraction) != 0;
  return (value >> 64U) * million + (fraction >> 64U);
}

}  // namespace

std::string to_decimal(const RatioSum& sum, Rounding rounding) {
  bool lower_rest = false;
  bool upper_rest = false;
  const UInt128 lower = millionths(sum.lower(), lower_rest);
  UInt128 shown = millionths(sum.upper(), upper_rest);
  // Where a whole millionth lies between the bounds, it is the rounded value.
  if (lower == shown && rounding == Rounding::up && upper_rest) ++shown;
  std::string digits = std::to_string(million + static_cast<std::uint64_t>(shown % million)).substr(1);
  digits.erase(std::max<std::size_t>(digits.find_last_not_of('0') + 1, 1));
  return std::to_string(static_cast<std::uint64_t>(shown / million)) + "." + digits;
}

}  // namespace tactus
