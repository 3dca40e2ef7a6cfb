// How long to simulate when nobody says.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tactus/base/time.hpp"
#include "tactus/model/system.hpp"

namespace tactus::sim {

/// What a horizon follows from.
enum class HorizonReason : std::uint8_t {
  hyperperiods,  // two of them (windows counted in) after the largest offset: all that can happen
  rates,         // two cycles of the rates, where those of the periods, rounded to nanoseconds, are too long
  fallback,      // neither is affordable: some jobs of every task
  all_jobs,      // nothing repeats: until all is done
};

struct Horizon {
  Time end{};  // `never` for `all_jobs`
  HorizonReason reason = HorizonReason::hyperperiods;
  std::optional<Duration> hyperperiod{};  // of periods and windows; nothing when it leaves 64 bits
};

/// "hyperperiods", "rates", "fallback" or "all-jobs".
std::string_view to_string(HorizonReason reason);

/// A period that is a rate rounded down to nanoseconds (1s/30 is 33333333ns) drifts against others, so that
/// the hyperperiod of 30 Hz beside 60 Hz is six days, although the rates come together every 1/30 s. Two such
/// cycles are simulated then; the model's periods stay what they are. Where that is too long, too: 1,000 jobs
/// of the slowest task, but no more than 10 s, unless that would be less than its first four.
///
/// InputError, asking for an explicit horizon, when even that holds too many jobs to be affordable, or when
/// best-effort tasks would run for ever.
Horizon choose_horizon(const System& system);

}  // namespace tactus::sim
