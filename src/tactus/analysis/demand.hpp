// The demand test: for every interval length t at which a deadline can fall,
//
//   demand(t) + blocking(t) <= supply(t)
//   demand(t)   = sum of (floor((t - d_j)/T_j) + 1) C_j over tasks with d_j <= t,   0 < d_j <= T_j
//   blocking(t) = the largest blocker whose deadline is greater than t; 0 if there is none
//
// How it is decided without visiting every deadline:
//
// 1. If demand(t) + blocking <= supply(t), then with x the least length whose supply covers the left side,
//    the same holds for every length in [x, t] as long as the blocking does not grow: demand only falls
//    towards shorter lengths. So the search goes backwards, from t to the last deadline before x, and stops
//    at every length at which the blocking rises (QPA, Zhang and Burns 2009, for any superadditive supply
//    and with blocking).
// 2. It starts at the least of these horizons; if anything fails, something fails before each of them:
//    - with r = supply share, g = its gap and U = sum C_j/T_j < r: demand(t) <= U t +
//      sum C_j (T_j - d_j)/T_j, and supply(t) >= r (t - g). So a failure needs
//      (r - U) t < sum C_j (T_j - d_j)/T_j + blocking + r g;
//    - the busy period: the least L with blocking(0) + sum ceil(L/T_j) C_j <= supply(L). Because
//      floor(a) - ceil(b) <= floor(a - b), a failure at t > L implies one at t - L;
//    - the hyperperiod H: demand(t + H) = demand(t) + demand(H), and demand(H) <= supply(H) is checked.
//    Where lengths below some x are not looked at, the last two imply a failure that counts only from x on:
//    they are longer by x.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "tactus/analysis/supply.hpp"
#include "tactus/base/time.hpp"

namespace tactus::analysis {

struct DemandTask {
  std::int64_t cost = 0;  // in nanoseconds / scale; not negative
  Duration deadline{};    // d > 0: less than D where releases are late
  Duration period{};      // T >= d
};

struct Blocker {
  std::int64_t cost = 0;  // in nanoseconds / scale; not negative
  Duration deadline{};    // it blocks intervals shorter than this
  std::size_t who = 0;    // chosen by the caller; returned in the witness
  static constexpr Duration no_deadline = Duration::max();
  static constexpr std::size_t nobody = ~std::size_t{0};  // no task: the witness names none
};

/// An interval in which demand exceeds supply.
struct DemandWitness {
  Duration interval{};
  Int128 demand = 0;                   // in nanoseconds / scale
  std::int64_t blocking = 0;           // in nanoseconds / scale
  std::optional<std::size_t> blocker;  // `who` of the blocker
  Duration supply{};
};

struct DemandAnswer {
  enum class Outcome : std::uint8_t {
    holds,
    fails,       // `witness` says where
    overloaded,  // the tasks need a greater share of time than the supply has
    gave_up,     // `limit` says what was reached
  };
  Outcome outcome = Outcome::holds;
  DemandWitness witness;
  std::string limit;
  std::int64_t evaluations = 0;  // number of interval lengths evaluated, including those of a busy period

  [[nodiscard]] bool holds() const { return outcome == Outcome::holds; }
};

struct DemandOptions {
  /// Costs are given in nanoseconds / scale: a common denominator of fractional costs. A supply that is a
  /// line takes scale 1 only.
  std::int64_t scale = 1;
  std::int64_t max_evaluations = 10'000'000;
  /// Shorter intervals are not looked at: the deadline of a task, or 0 for the shortest of all.
  Duration shortest{};
};

/// Exact for numbers of any size; gives up only with `gave_up`.
DemandAnswer test_demand(std::span<const DemandTask> tasks, std::span<const Blocker> blockers,
                         const SupplyBound& supply, const DemandOptions& options = {});

}  // namespace tactus::analysis
