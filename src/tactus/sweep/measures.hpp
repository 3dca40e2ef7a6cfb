// What an experiment measures besides the share of accepted systems.
//
// All sums are integers, so that parts can be added in any order and on any machine: utilisations and ratios
// count in steps of 2^-32, each rounded down once, before anything is added.
#pragma once

#include <cstdint>
#include <optional>

#include "tactus/base/ratio_sum.hpp"
#include "tactus/base/time.hpp"
#include "tactus/io/words.hpp"
#include "tactus/model/system.hpp"

namespace tactus::sweep {

enum class Measure : std::uint8_t {
  acceptance,      // accepted / systems
  weighted,        // the same with every system weighted by its utilisation
  bound_deadline,  // mean of bound / deadline, of all tasks of accepted systems that have a bound
  bound_observed,  // mean of bound / longest response time in a simulation, of the same tasks
};

/// The words of experiment files.
inline constexpr std::array<io::Choice<Measure>, 4> measure_words{
    {{"acceptance", Measure::acceptance},
     {"weighted", Measure::weighted},
     {"bound-deadline", Measure::bound_deadline},
     {"bound-observed", Measure::bound_observed}}};

/// Ratios of tasks, added up.
struct RatioMean {
  UInt128 sum = 0;  // in steps of 2^-32
  std::int64_t tasks = 0;

  /// The numerator is 0 or more, the denominator above 0. A ratio above 2^31 counts as 2^31.
  void add(Duration numerator, Duration denominator);
  void add(const RatioMean& more);
  /// In parts of a million, to the nearest; nothing without tasks.
  [[nodiscard]] std::optional<std::int64_t> mean() const;
  friend bool operator==(const RatioMean&, const RatioMean&) = default;
};

/// The measures of one analysis over some systems.
struct Sums {
  UInt128 weight = 0;           // utilisations of all systems, in steps of 2^-32
  UInt128 accepted_weight = 0;  // of those it accepts
  RatioMean bound_deadline{};
  RatioMean bound_observed{};
  /// Systems in whose simulation a job passed its bound. More than 0 means that the test is not sound.
  std::int64_t broken = 0;

  void add(const Sums& more);
  /// Weighted schedulability (Bastoni, Brandenburg and Anderson 2010) in parts of a million, to the nearest:
  /// sum of U of the accepted / sum of U. Nothing where the weights were not counted.
  [[nodiscard]] std::optional<std::int64_t> weighted() const;
  /// The value of a measure other than acceptance, in parts of a million.
  [[nodiscard]] std::optional<std::int64_t> of(Measure measure) const;
  friend bool operator==(const Sums&, const Sums&) = default;
};

/// Sum of work / period of all tasks that repeat, in steps of 2^-32: what all segments take in the worst
/// case, GPU work on one virtual SM, kernels on the whole GPU. The strategy does not matter.
UInt128 utilisation_of(const System& system);

}  // namespace tactus::sweep
