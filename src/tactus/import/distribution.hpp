// A value that varies: ticks, latencies, jitter.
#pragma once

#include <optional>

#include "tactus/base/exact.hpp"
#include "tactus/import/element.hpp"

namespace tactus::import {

struct Distribution {
  std::optional<Rational> best;
  std::optional<Rational> average;
  std::optional<Rational> worst;      // only a normal distribution without bounds has none
  std::optional<Rational> deviation;  // of such a distribution; `average` is its mean

  static Distribution constant(const Rational& value) { return {value, value, value, std::nullopt}; }
};

/// The same with bounds that many standard deviations from the mean, where it has none.
Distribution with_bounds(const Distribution& distribution, const Rational& deviations);

/// Any class of distribution, of plain numbers or of times (which are then nanoseconds). Nothing where the
/// element holds no numbers that are understood.
std::optional<Distribution> read_distribution(const Element& element);

}  // namespace tactus::import
