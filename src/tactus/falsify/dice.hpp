// Random choices of one thread of a campaign: the same seed gives the same choices on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "tactus/base/random.hpp"
#include "tactus/base/time.hpp"

namespace tactus::falsify {

class Dice {
 public:
  Dice(std::uint64_t seed, std::uint64_t stream) : state_{mix_bits(mix_bits(seed) ^ stream)} {}

  std::uint64_t bits() { return mix_bits(++state_); }
  /// Uniform in [least, most].
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return in_ns(draw_between(bits(), Duration{least}, Duration{most}));
  }
  Duration up_to(Duration most) { return draw_between(bits(), Duration{}, most); }
  bool percent(std::int64_t chance) { return between(1, 100) <= chance; }
  std::size_t index(std::size_t size) {
    return static_cast<std::size_t>(between(0, static_cast<std::int64_t>(size) - 1));
  }
  template <class T>
  T pick(std::initializer_list<T> values) {
    return values.begin()[index(values.size())];
  }
  template <class Range>
  const auto& pick_from(const Range& range) {
    return range[index(range.size())];
  }

 private:
  std::uint64_t state_;
};

}  // namespace tactus::falsify
