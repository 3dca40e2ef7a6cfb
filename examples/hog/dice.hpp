// Random numbers that follow from a seed.
#pragma once

#include <cstdint>

namespace hog {

/// SplitMix64 (Steele, Lea and Flood 2014).
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_{seed} {}

  std::uint64_t bits() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
    return mixed ^ (mixed >> 31U);
  }
  /// From low to high, both included.
  int whole(int low, int high) {
    return low + static_cast<int>(bits() % static_cast<std::uint64_t>(high - low + 1));
  }
  double real(double low, double high) {
    return low + (high - low) * static_cast<double>(bits() >> 11U) * 0x1p-53;
  }

 private:
  std::uint64_t state_;
};

}  // namespace hog
