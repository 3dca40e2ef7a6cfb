// Distributes a total utilisation among tasks.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tactus/base/exact.hpp"
#include "tactus/base/time.hpp"

namespace tactus::generate {

/// A utilisation in steps of 2^-48, so that shares add up exactly and are the same on every machine.
struct Utilisation {
  static constexpr unsigned bits = 48;
  /// Totals above this are refused where parameters are read.
  static constexpr std::int64_t most = 4096;

  std::int64_t steps = 0;

  /// Rounded down to a step.
  static Utilisation of(const Rational& value);
  friend auto operator<=>(const Utilisation&, const Utilisation&) = default;
};

/// The bounds of each task's utilisation, both included.
struct UtilisationBounds {
  Utilisation least;
  Utilisation most;
};

/// utilisation * period, rounded down to a nanosecond, at least 1 ns.
Duration part_of(Duration period, Utilisation utilisation);

/// UUniFast (Bini and Buttazzo 2005): utilisations of `tasks` tasks, uniformly distributed over all ways to
/// share out `total`. They add up to it exactly.
///
/// Step i of UUniFast multiplies what is left by r^(1/k), k tasks being left. That factor is distributed as
/// the largest of k uniform numbers, so the sums it leaves are n - 1 uniform points of [0, total] in order.
/// We draw those points: integers alone, and no power whose last bit depends on the machine.
std::vector<Utilisation> uunifast(std::size_t tasks, Utilisation total, std::uint64_t seed,
                                  std::uint64_t group);

/// The same above a `least` for every task, drawn again until no task has more than `most` (Davis and Burns
/// 2009). Uniform over all such vectors. Nothing after 10,000 attempts: they are too rare for this method.
/// Needs tasks * least <= total.
std::optional<std::vector<Utilisation>> uunifast_discard(std::size_t tasks, Utilisation total,
                                                         UtilisationBounds bounds, std::uint64_t seed,
                                                         std::uint64_t group);

/// Uniform numbers between the bounds, each drawn alone, then all scaled by one factor so that they add up to
/// `total` exactly. This is not uniform over the vectors of that sum, and a share may pass the bounds. Each
/// is within two steps of its exact value.
std::vector<Utilisation> scaled_uniform(std::size_t tasks, Utilisation total, UtilisationBounds bounds,
                                        std::uint64_t seed, std::uint64_t group);

}  // namespace tactus::generate
