#include "tactus/machine/timer_lateness.hpp"

#include <algorithm>

namespace tactus::machine {

TimerLateness summarise(std::span<Duration> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto rank = [&](std::size_t percent) {
    return values[(values.size() * percent + 99) / 100 - 1];  // nearest rank
  };
  return {static_cast<int>(values.size()), rank(50), rank(99), values.back()};
}

}  // namespace tactus::machine
