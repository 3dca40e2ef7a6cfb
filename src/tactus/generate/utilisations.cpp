#include "tactus/generate/utilisations.hpp"

#include <algorithm>

#include "tactus/base/random.hpp"

namespace tactus::generate {

namespace {

std::vector<Utilisation> attempt_uunifast(std::size_t tasks, Utilisation total, std::uint64_t seed,
                                          std::uint64_t group, std::uint64_t attempt) {
  std::vector<std::int64_t> points{0, total.steps};
  for (std::size_t i = 1; i < tasks; ++i) {
    const std::uint64_t bits = draw_bits(seed, Purpose::utilisation, group, attempt, i);
    points.push_back(
        static_cast<std::int64_t>(draw_below(bits, static_cast<std::uint64_t>(total.steps) + 1)));
  }
  std::sort(points.begin(), points.end());
  std::vector<Utilisation> shares(tasks);
  for (std::size_t i = 0; i < tasks; ++i) shares[i].steps = points[i + 1] - points[i];
  return shares;
}

}  // namespace

Utilisation Utilisation::of(const Rational& value) {
  const Int128 steps = (static_cast<Int128>(value.numerator()) << bits) / value.denominator();
  return {static_cast<std::int64_t>(steps)};
}

Duration part_of(Duration period, Utilisation utilisation) {
  const Int128 part = (static_cast<Int128>(period.count()) * utilisation.steps) >> Utilisation::bits;
  return Duration{std::max<std::int64_t>(1, static_cast<std::int64_t>(part))};
}

std::vector<Utilisation> uunifast(std::size_t tasks, Utilisation total, std::uint64_t seed,
                                  std::uint64_t group) {
  return attempt_uunifast(tasks, total, seed, group, 0);
}

std::optional<std::vector<Utilisation>> uunifast_discard(std::size_t tasks, Utilisation total,
                                                         UtilisationBounds bounds, std::uint64_t seed,
                                                         std::uint64_t group) {
  constexpr std::uint64_t max_attempts = 10'000;
  const std::int64_t least = bounds.least.steps;
  const Utilisation rest{total.steps - static_cast<std::int64_t>(tasks) * least};
  for (std::uint64_t attempt = 0; attempt < max_attempts; ++attempt) {
    std::vector<Utilisation> shares = attempt_uunifast(tasks, rest, seed, group, attempt);
    for (Utilisation& share : shares) share.steps += least;
    if (std::all_of(shares.begin(), shares.end(), [&](Utilisation share) { return share <= bounds.most; })) {
      return shares;
    }
  }
  return std::nullopt;
}

std::vector<Utilisation> scaled_uniform(std::size_t tasks, Utilisation total, UtilisationBounds bounds,
                                        std::uint64_t seed, std::uint64_t group) {
  // Draws that are all 0 could not be scaled.
  const std::int64_t least = std::max<std::int64_t>(1, bounds.least.steps);
  const auto width = static_cast<std::uint64_t>(std::max(bounds.most.steps, least) - least) + 1;
  std::vector<Int128> sums{0};
  for (std::size_t i = 0; i < tasks; ++i) {
    const std::uint64_t drawn = draw_below(draw_bits(seed, Purpose::utilisation, group, 0, i), width);
    sums.push_back(sums.back() + least + static_cast<std::int64_t>(drawn));
  }
  // The sums of many large draws lose low bits, so that products fit.
  constexpr int max_bits = 64;
  int bits = 0;
  while ((sums.back() >> bits) >> max_bits != 0) ++bits;
  const Int128 all = sums.back() >> bits;
  std::vector<Utilisation> shares(tasks);
  std::int64_t before = 0;
  for (std::size_t i = 0; i < tasks; ++i) {
    // The boundaries between shares are rounded, not the shares, so the shares add up exactly.
    const auto upto = static_cast<std::int64_t>(total.steps * (sums[i + 1] >> bits) / all);
    shares[i].steps = upto - before;
    before = upto;
  }
  return shares;
}

}  // namespace tactus::generate
