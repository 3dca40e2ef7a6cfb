#include "tactus/generate/logarithm.hpp"

#include <array>
#include <bit>

namespace tactus::generate {

namespace {

__extension__ using Wide = unsigned __int128;

// Numbers from 1 to below 2 are multiples of 2^-62.
constexpr unsigned mantissa_bits = 62;
constexpr Wide one = Wide{1} << mantissa_bits;

/// The largest integer whose square is at most `value`.
constexpr Wide square_root(Wide value) {
  Wide root = 0;
  for (Wide bit = Wide{1} << 63U; bit != 0; bit >>= 1U) {
    const Wide candidate = root | bit;
    if (candidate * candidate <= value) root = candidate;
  }
  return root;
}

/// 2^(1/2), 2^(1/4), 2^(1/8), ...
constexpr std::array<std::uint64_t, log_bits> make_roots() {
  std::array<std::uint64_t, log_bits> roots{};
  Wide root = 2 * one;
  for (std::uint64_t& entry : roots) {
    root = square_root(root << mantissa_bits);
    entry = static_cast<std::uint64_t>(root);
  }
  return roots;
}

constexpr std::array<std::uint64_t, log_bits> roots = make_roots();

/// 2^(fraction / 2^48) * 2^62 for a fraction below 2^48.
Wide mantissa_of(std::uint64_t fraction) {
  Wide mantissa = one;
  for (unsigned i = 0; i < log_bits; ++i) {
    const bool set = ((fraction >> (log_bits - 1 - i)) & 1U) != 0;
    if (set) mantissa = (mantissa * roots[i]) >> mantissa_bits;  // NOLINT(*-constant-array-index)
  }
  return mantissa;
}

}  // namespace

std::uint64_t log2_fixed(std::uint64_t value) {
  const auto whole = static_cast<unsigned>(std::bit_width(value)) - 1;
  Wide mantissa = (static_cast<Wide>(value) << mantissa_bits) >> whole;
  std::uint64_t result = whole;
  for (unsigned i = 0; i < log_bits; ++i) {
    mantissa = (mantissa * mantissa) >> mantissa_bits;
    result <<= 1U;
    if (mantissa >= 2 * one) {
      mantissa >>= 1U;
      result |= 1U;
    }
  }
  return result;
}

std::uint64_t times_exp2_fixed(std::uint64_t base, std::uint64_t exponent) {
  constexpr std::uint64_t fraction_mask = (std::uint64_t{1} << log_bits) - 1;
  const auto whole = static_cast<unsigned>(exponent >> log_bits);
  const Wide product = base * mantissa_of(exponent & fraction_mask);
  return static_cast<std::uint64_t>(product >> (mantissa_bits - whole));
}

}  // namespace tactus::generate
