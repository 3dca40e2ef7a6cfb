// Random numbers that are the same on every machine, compiler and thread count.
//
// Draws are addressed, not consumed: a value depends on the seed and on what it is for (task, job, segment),
// never on how many values were drawn before. So two strategies see the same job with the same execution
// time.
#pragma once

#include <cstdint>

#include "tactus/base/time.hpp"

namespace tactus {

/// What a draw is for: values of different purposes are independent.
enum class Purpose : std::uint64_t {
  separation = 1,
  release_delay = 2,
  execution = 3,
  launch_delay = 4,
  completion_delay = 5,
  copy_delay = 6,
  timer_delay = 7,
  cpu_delay = 8,
  engine_time = 9,
  // Of generated systems.
  system = 32,
  utilisation = 33,
  period = 34,
  deadline = 35,
  reservation = 36,
  segment = 37,
  interleave = 38,
};

/// Mixes all bits of a word (the finaliser of SplitMix64).
constexpr std::uint64_t mix_bits(std::uint64_t word) {
  word += 0x9e3779b97f4a7c15U;
  word = (word ^ (word >> 30U)) * 0xbf58476d1ce4e5b9U;
  word = (word ^ (word >> 27U)) * 0x94d049bb133111ebU;
  return word ^ (word >> 31U);
}

constexpr std::uint64_t draw_bits(std::uint64_t seed, Purpose purpose, std::uint64_t task, std::uint64_t job,
                                  std::uint64_t segment = 0) {
  std::uint64_t state = mix_bits(seed ^ (static_cast<std::uint64_t>(purpose) << 56U));
  state = mix_bits(state ^ task);
  state = mix_bits(state ^ job);
  return mix_bits(state ^ segment);
}

/// Uniform over the integers from 0 to width - 1, for width > 0; the bias is below 2^-64 of the width.
constexpr std::uint64_t draw_below(std::uint64_t bits, std::uint64_t width) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(width) * bits) >> 64U);
}

/// Uniform over the whole nanoseconds of [least, most]; the bias is below 2^-64 of the range's width.
constexpr Duration draw_between(std::uint64_t bits, Duration least, Duration most) {
  __extension__ using Wide = unsigned __int128;
  const auto width = static_cast<Wide>(static_cast<std::uint64_t>((most - least).count())) + 1;
  return least + Duration{static_cast<std::int64_t>((width * bits) >> 64U)};
}

}  // namespace tactus
