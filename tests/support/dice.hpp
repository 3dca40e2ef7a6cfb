// Random choices for generators of test data, the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "tactus/base/random.hpp"
#include "tactus/base/time.hpp"

namespace tactus::test {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_{mix_bits(seed)} {}

  std::uint64_t bits() { return state_ = mix_bits(state_); }

  /// Uniform in [least, most].
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return draw_between(bits(), Duration{least}, Duration{most}).count();
  }
  std::int32_t small(std::int32_t least, std::int32_t most) {
    return static_cast<std::int32_t>(between(least, most));
  }
  Duration duration(std::int64_t least, std::int64_t most) { return Duration{between(least, most)}; }

  bool percent(std::int64_t chance) { return between(1, 100) <= chance; }

  template <typename Value>
  Value pick(std::initializer_list<Value> values) {
    return *(values.begin() + between(0, static_cast<std::int64_t>(values.size()) - 1));
  }

 private:
  std::uint64_t state_;
};

}  // namespace tactus::test
