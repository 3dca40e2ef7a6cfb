#include "tactus/generate/periods.hpp"

#include <algorithm>

#include "tactus/base/random.hpp"
#include "tactus/generate/logarithm.hpp"

namespace tactus::generate {

Duration pick_from(std::span<const Duration> list, std::uint64_t bits) {
  return list[static_cast<std::size_t>(draw_below(bits, list.size()))];
}

Duration log_uniform(Duration least, Duration most, Duration granularity, std::uint64_t bits) {
  const auto low = static_cast<std::uint64_t>(least.count());
  const auto high = static_cast<std::uint64_t>(most.count());
  const std::uint64_t span = log2_fixed(high) - log2_fixed(low);
  const std::uint64_t drawn = times_exp2_fixed(low, draw_below(bits, span + 1));
  const auto step = static_cast<std::uint64_t>(granularity.count());
  const std::uint64_t rounded = std::min(drawn, high) / step * step;
  return Duration{static_cast<std::int64_t>(std::max(rounded, low))};
}

Duration uniform_deadline(Duration period, const Rational& min_share, std::uint64_t bits) {
  const Int128 product = static_cast<Int128>(period.count()) * min_share.numerator();
  const Int128 least = (product + min_share.denominator() - 1) / min_share.denominator();
  return draw_between(bits, Duration{std::max<std::int64_t>(1, static_cast<std::int64_t>(least))}, period);
}

}  // namespace tactus::generate
