// The default length of a simulation.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tactus/base/time.hpp"
#include "tactus/model/system.hpp"

namespace tactus::sim {

/// How a horizon was chosen.
enum class HorizonReason : std::uint8_t {
  hyperperiods,  // two of them (including windows) after the largest offset: every possible situation
  rates,         // two cycles of the exact rates, where the hyperperiod of the rounded periods is too long
  fallback,      // neither is affordable: a number of jobs of every task
  all_jobs,      // nothing repeats: until all jobs are done
};

struct Horizon {
  Time end{};  // `never` for `all_jobs`
  HorizonReason reason = HorizonReason::hyperperiods;
  std::optional<Duration> hyperperiod{};  // of periods and windows; nothing when it overflows 64 bits
};

/// "hyperperiods", "rates", "fallback" or "all-jobs".
std::string_view to_string(HorizonReason reason);

/// A period that is a rate rounded down to nanoseconds (1s/30 is 33333333ns) drifts against others, so that
/// the hyperperiod of 30 Hz and 60 Hz is six days, although the rates coincide every 1/30 s. Then two cycles
/// of the rates are simulated; the periods of the model are not changed. If that is too long as well: 1,000
/// jobs of the slowest task, but at most 10 s, unless that is less than its first four jobs.
///
/// InputError, asking for an explicit horizon, when even that is too many jobs, or when best-effort tasks
/// would run forever.
Horizon choose_horizon(const System& system);

}  // namespace tactus::sim
