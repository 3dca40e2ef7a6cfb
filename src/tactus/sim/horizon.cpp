#include "tactus/sim/horizon.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "tactus/base/error.hpp"
#include "tactus/base/exact.hpp"
#include "tactus/base/text.hpp"
#include "tactus/sim/simulate.hpp"

namespace tactus::sim {

namespace {

constexpr std::int64_t second = 1'000'000'000;

/// A simulation of so many jobs takes a few seconds, an acceptable wait for a default.
constexpr std::int64_t affordable_jobs = 10'000'000;

/// Takes less than a second: the limit for a simulation without a natural end.
constexpr std::int64_t quick_jobs = 1'000'000;

constexpr Duration longest_fallback = std::chrono::seconds{10};
constexpr std::int64_t fallback_jobs = 1'000;
constexpr std::int64_t min_fallback_jobs = 4;

[[noreturn]] void ask_for_horizon(const std::string& why) {
  throw InputError{why, "say how long to simulate, for instance `--for 10s`"};
}

bool has_period(const Task& task) { return repeats(task) && task.period && !has_scripted_releases(task); }

/// A fraction of a second, in lowest terms.
struct Fraction {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;
};

Fraction reduced(std::int64_t numerator, std::int64_t denominator) {
  const std::int64_t common = std::gcd(numerator, denominator);
  return {numerator / common, denominator / common};
}

/// The exact period of the rate, with up to three decimals, that rounds to this period; otherwise the period
/// itself. Rates so close to each other that any period is near one of them are not considered.
Fraction nominal_period(Duration period) {
  constexpr std::int64_t min_distance = 100;  // ns between the periods of neighbouring rates
  constexpr std::array<std::int64_t, 4> parts_of_hertz{1, 10, 100, 1000};
  for (const std::int64_t parts : parts_of_hertz) {
    const std::int64_t rate = second * parts / period.count();
    if (rate == 0 || period.count() / rate < min_distance) continue;
    if (second * parts / rate == period.count()) return reduced(parts, rate);
  }
  return reduced(period.count(), second);
}

/// The windows repeat with a period of their own.
std::optional<Duration> period_of_windows(const System& system) {
  const Reservations* windows = windows_of(system);
  return windows == nullptr ? std::nullopt : std::optional{windows->period};
}

/// The time after which tasks and windows are in phase again.
std::optional<Duration> cycle_of(const System& system) {
  const std::optional<Duration> tasks = hyperperiod(system);
  const std::optional<Duration> windows = period_of_windows(system);
  if (!tasks || !windows) return tasks;
  const std::optional<std::int64_t> common = checked_lcm(tasks->count(), windows->count());
  return common ? std::optional{Duration{*common}} : std::nullopt;
}

/// The time after which all rates are in phase again, rounded up to a nanosecond.
std::optional<Duration> cycle_of_rates(const System& system) {
  std::vector<Fraction> periods;
  for (const Task& task : system.tasks) {
    if (has_period(task)) periods.push_back(nominal_period(*task.period));
  }
  if (const std::optional<Duration> windows = period_of_windows(system)) {
    periods.push_back(reduced(windows->count(), second));
  }
  std::int64_t numerator = 1;
  std::int64_t denominator = 0;
  for (const Fraction& period : periods) {
    const std::optional<std::int64_t> common = checked_lcm(numerator, period.numerator);
    if (!common) return std::nullopt;
    numerator = *common;
    denominator = std::gcd(denominator, period.denominator);
  }
  const Int128 length = (static_cast<Int128>(numerator) * second + denominator - 1) / denominator;
  if (length >= in_ns(never)) return std::nullopt;
  return Duration{static_cast<std::int64_t>(length)};
}

Int128 jobs_within(const System& system, Int128 length) {
  Int128 jobs = 0;
  for (const Task& task : system.tasks) {
    if (has_period(task)) jobs += length / task.period->count();
    if (task.arrival == Arrival::best_effort) jobs += length / min_time(task.work).count();
  }
  return jobs;
}

bool is_affordable(const System& system, Int128 length) {
  return jobs_within(system, length) <= affordable_jobs && length < in_ns(never);
}

/// A number of jobs of every task if that is affordable; otherwise what can be simulated quickly.
Int128 fallback_length(const System& system, Duration largest_offset) {
  Int128 slowest = period_of_windows(system).value_or(Duration{}).count();
  for (const Task& task : system.tasks) {
    if (has_period(task)) slowest = std::max<Int128>(slowest, task.period->count());
  }
  Int128 length = std::min<Int128>(fallback_jobs * slowest, longest_fallback.count());
  if (const Int128 jobs = jobs_within(system, length); jobs > quick_jobs) {
    length = std::max<Int128>(1, length * quick_jobs / jobs);
    if (length > slowest) length = length / slowest * slowest;
  }
  const Int128 some_of_each = min_fallback_jobs * slowest;
  return is_affordable(system, largest_offset.count() + some_of_each) ? std::max(length, some_of_each)
                                                                      : length;
}

}  // namespace

std::string_view to_string(HorizonReason reason) {
  constexpr std::array<std::string_view, 4> names{"hyperperiods", "rates", "fallback", "all-jobs"};
  return names.at(static_cast<std::size_t>(reason));
}

Horizon choose_horizon(const System& system) {
  Duration largest_offset{};
  bool repeating = false;
  bool best_effort = false;
  for (const Task& task : system.tasks) {
    largest_offset = std::max(largest_offset, task.offset);
    repeating = repeating || has_period(task);
    best_effort = best_effort || task.arrival == Arrival::best_effort;
  }
  if (!repeating) {
    if (best_effort) ask_for_horizon("best-effort tasks repeat for ever: there is no natural end");
    return {.end = never, .reason = HorizonReason::all_jobs};
  }
  const std::optional<Duration> cycle = cycle_of(system);
  const auto ends_after = [&](Int128 length, HorizonReason reason) -> std::optional<Horizon> {
    const Int128 end = largest_offset.count() + length;
    if (!is_affordable(system, end)) return std::nullopt;
    return Horizon{
        .end = time_at(Duration{static_cast<std::int64_t>(end)}), .reason = reason, .hyperperiod = cycle};
  };
  std::optional<Horizon> horizon;
  if (cycle) horizon = ends_after(2 * static_cast<Int128>(cycle->count()), HorizonReason::hyperperiods);
  if (!horizon) {
    if (const std::optional<Duration> rates = cycle_of_rates(system)) {
      horizon = ends_after(2 * static_cast<Int128>(rates->count()), HorizonReason::rates);
    }
  }
  if (!horizon) horizon = ends_after(fallback_length(system, largest_offset), HorizonReason::fallback);
  if (!horizon) {
    ask_for_horizon("until the largest offset there are more than " + with_thousands(affordable_jobs) +
                    " jobs");
  }
  return *horizon;
}

Time default_horizon(const System& system) { return choose_horizon(system).end; }

}  // namespace tactus::sim
