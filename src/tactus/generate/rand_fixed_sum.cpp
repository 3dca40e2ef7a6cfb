#include "tactus/generate/rand_fixed_sum.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "tactus/base/random.hpp"
#include "tactus/generate/scaled_number.hpp"

namespace tactus::generate {

namespace {

constexpr unsigned weight_bits = 63;
constexpr std::int64_t half_bits = weight_bits - 1;

/// The address of the draws of one vector.
enum class Draw : std::uint8_t { weight, entry, face };

/// Entries from 0 to `width` with the sum `sum`, all in steps of Utilisation.
struct Body {
  std::size_t entries = 1;
  std::int64_t width = 0;
  std::int64_t sum = 0;

  /// What is left of the sum after `ones` entries at their upper bound.
  [[nodiscard]] Int128 left(std::size_t ones) const {
    return static_cast<Int128>(sum) - static_cast<Int128>(ones) * width;
  }
};

/// odds[k][j]: with k entries to go and j of the others at their upper bound, the chance in units of 2^-63
/// that the point lies above a face where the entry is 0.
using Odds = std::vector<std::vector<std::uint64_t>>;

Odds odds_of(const Body& body) {
  Odds odds(body.entries + 1);
  // Volumes by j. A single entry has one value; the range is half open, so that only one j puts it there.
  std::vector<ScaledNumber> volumes(body.entries);
  for (std::size_t j = 0; j < body.entries; ++j) {
    const bool in_range = body.left(j) >= 0 && body.left(j) < body.width;
    volumes[j] = ScaledNumber::of(in_range ? 1 : 0);
  }
  for (std::size_t k = 2; k <= body.entries; ++k) {
    const std::size_t states = body.entries - k + 1;
    odds[k].resize(states);
    for (std::size_t j = 0; j < states; ++j) {
      const Int128 to_zero = body.left(j);
      const Int128 to_width = static_cast<Int128>(k) * body.width - to_zero;
      const bool exists = to_zero >= 0 && to_width >= 0;
      const auto distance = [&](Int128 steps) {
        return ScaledNumber::of(exists ? static_cast<ScaledNumber::Wide>(steps) : 0);
      };
      const ScaledNumber zero = distance(to_zero) * volumes[j];
      const ScaledNumber one = distance(to_width) * volumes[j + 1];
      volumes[j] = zero + one;
      if (volumes[j].mantissa != 0) odds[k][j] = share_of(zero, one);
    }
  }
  return odds;
}

/// The products of the r: uniform numbers in units of 2^-63, in falling order.
std::vector<std::int64_t> draw_weights(std::size_t number, std::uint64_t seed, std::uint64_t group) {
  std::vector<std::int64_t> weights(number);
  for (std::size_t i = 0; i < number; ++i) {
    const std::uint64_t bits =
        draw_bits(seed, Purpose::utilisation, group, static_cast<std::uint64_t>(Draw::weight), i);
    weights[i] = static_cast<std::int64_t>(bits >> 1U);
  }
  std::sort(weights.begin(), weights.end(), std::greater<>{});
  return weights;
}

std::int64_t rounded(Int128 value) {
  return static_cast<std::int64_t>((value + (Int128{1} << half_bits)) >> weight_bits);
}

/// A point of the body; rounding leaves its sum slightly off.
std::vector<std::int64_t> draw_point(const Body& body, std::uint64_t seed, std::uint64_t group) {
  const Odds odds = odds_of(body);
  const std::vector<std::int64_t> weights = draw_weights(body.entries - 1, seed, group);
  std::vector<std::int64_t> point(body.entries);
  std::vector<std::size_t> open(body.entries);
  std::iota(open.begin(), open.end(), std::size_t{0});
  Int128 centre = 0;                        // what every open entry has so far, in steps * 2^-63
  Int128 outer = Int128{1} << weight_bits;  // the weight of what is still to be added
  std::size_t ones = 0;
  for (std::size_t k = body.entries; k >= 2; --k) {
    const auto draw = [&](Draw purpose) {
      return draw_bits(seed, Purpose::utilisation, group, static_cast<std::uint64_t>(purpose), k);
    };
    const Int128 weight = weights[body.entries - k];
    centre += (outer - weight) * body.left(ones) / static_cast<Int128>(k);
    outer = weight;
    const auto chosen = static_cast<std::size_t>(draw_below(draw(Draw::entry), k));
    const std::size_t entry = open[chosen];
    open[chosen] = open[k - 1];
    if ((draw(Draw::face) >> 1U) < odds[k][ones]) {
      point[entry] = rounded(centre);
    } else {
      point[entry] = rounded(centre + outer * body.width);
      ++ones;
    }
  }
  point[open.front()] = rounded(centre + outer * body.left(ones));
  return point;
}

/// Adds or subtracts single steps, within the bounds, until the sum is exact.
void mend_sum(std::vector<std::int64_t>& point, const Body& body) {
  std::int64_t missing = body.sum;
  for (std::int64_t& entry : point) {
    entry = std::clamp<std::int64_t>(entry, 0, body.width);
    missing -= entry;
  }
  while (missing != 0) {
    for (std::int64_t& entry : point) {
      if (missing > 0 && entry < body.width) {
        ++entry;
        --missing;
      } else if (missing < 0 && entry > 0) {
        --entry;
        ++missing;
      }
    }
  }
}

}  // namespace

std::vector<Utilisation> rand_fixed_sum(std::size_t tasks, Utilisation total, UtilisationBounds bounds,
                                        std::uint64_t seed, std::uint64_t group) {
  const auto number = static_cast<std::int64_t>(tasks);
  const Body body{.entries = tasks,
                  .width = bounds.most.steps - bounds.least.steps,
                  .sum = total.steps - number * bounds.least.steps};
  std::vector<std::int64_t> point(tasks);
  if (body.left(tasks) == 0) {
    std::fill(point.begin(), point.end(), body.width);
  } else if (body.sum > 0) {
    point = draw_point(body, seed, group);
    mend_sum(point, body);
  }
  std::vector<Utilisation> shares(tasks);
  std::transform(point.begin(), point.end(), shares.begin(),
                 [&](std::int64_t entry) { return Utilisation{bounds.least.steps + entry}; });
  return shares;
}

}  // namespace tactus::generate
