// Powers and logarithms to base 2 in integers: the functions of the C library may differ in their last bit
// from machine to machine, but generated systems must not.
#pragma once

#include <cstdint>

namespace tactus::generate {

/// Fractions of logarithms are multiples of 2^-48.
inline constexpr unsigned log_bits = 48;

/// log2(value) * 2^48 for value >= 1, rounded down; off by less than two steps.
std::uint64_t log2_fixed(std::uint64_t value);

/// base * 2^(exponent / 2^48), rounded down; the relative error is below 2^-54. The result must fit 63 bits.
std::uint64_t times_exp2_fixed(std::uint64_t base, std::uint64_t exponent);

}  // namespace tactus::generate
