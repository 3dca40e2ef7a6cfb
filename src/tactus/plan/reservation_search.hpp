// Period and budgets of the reservations of `sm-cores`, with the smallest share of time for the gang window.
//
// Let G(P) be the least budget of the gang window and L(P) that of the local one (server_budget.hpp). Both
// never fall when P grows. A period holds if G(P) + L(P) <= P. The search goes upwards:
//   - P does not hold: no P' with P < P' < G(P) + L(P) does, since G(P') + L(P') >= G(P) + L(P) > P'. It goes
//     on at G(P) + L(P).
//   - P holds: a longer P' has the share G(P')/P' >= G(P)/P'. It goes on at the first P' for which that is
//     more than one percent below the least share so far.
// So no period that holds is overlooked, and no share that is more than one percent smaller. No period of
// D_gang + D_local or more holds, with D the shortest deadlines: the gaps P - G and P - L must be shorter
// than these, and they sum up to at least P.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "tactus/base/time.hpp"
#include "tactus/plan/core_assignment.hpp"
#include "tactus/plan/stopped.hpp"

namespace tactus::plan {

struct PeriodRange {
  Duration from{};
  Duration to{};  // included
};

struct WindowChoice {
  Duration period{};
  Duration gang{};   // budget
  Duration local{};  // budget; the windows need not fill the period
};

/// The period with the smallest shortfall.
struct NearMiss {
  Duration period{};
  Duration gang{};
  Duration local{};  // Duration::max(): more than any window gives
};

struct WindowSearch {
  std::optional<WindowChoice> best;
  std::vector<Placement> placement;  // of `best`
  std::optional<NearMiss> nearest;
  PeriodRange range;
  std::int64_t periods = 0;      // looked at
  bool skipped_periods = false;  // after too many small steps larger ones were taken
  bool stopped = false;
};

/// The least budget of the gang window for a period: it never falls when the period grows.
using GangBudget = std::function<Duration(Duration period)>;

/// After so many consecutive periods that do not hold, steps are at least one in
/// `coarse_step` of the period.
inline constexpr std::int64_t max_small_steps = 2'000;
inline constexpr std::int64_t coarse_step = 10'000;

/// Longer periods are not searched: it keeps products of two durations within 128 bits.
inline constexpr Duration longest_period{std::int64_t{1} << 58U};

/// 0 < from; to <= longest_period.
WindowSearch search_windows(const GangBudget& gang, CoreAssignment& local, PeriodRange range,
                            const Watch& watch);

/// Round numbers instead, where the share of the gang window grows by one percent at most.
void prefer_round_numbers(WindowSearch& search, const GangBudget& gang, CoreAssignment& local);

}  // namespace tactus::plan
