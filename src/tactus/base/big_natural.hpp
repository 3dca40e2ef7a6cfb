// Natural numbers of any size, for exact comparisons that 128 bits cannot decide.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

namespace tactus {

class BigNatural {
 public:
  BigNatural() = default;
  explicit BigNatural(std::uint64_t value);

  BigNatural& operator*=(std::uint64_t factor);
  BigNatural& operator+=(const BigNatural& other);

  friend bool operator==(const BigNatural&, const BigNatural&) = default;
  friend std::strong_ordering operator<=>(const BigNatural& a, const BigNatural& b);

 private:
  std::vector<std::uint64_t> digits_;  // base 2^64, least first; no leading zeros, so zero is empty
};

}  // namespace tactus
