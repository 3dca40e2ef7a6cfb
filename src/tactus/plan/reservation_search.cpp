#include "tactus/plan/reservation_search.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tactus::plan {

namespace {

constexpr Duration tick{1};

/// a/b < c/d, exactly.
bool is_less(Duration a, Duration b, Duration c, Duration d) {
  return static_cast<Int128>(a.count()) * d.count() < static_cast<Int128>(c.count()) * b.count();
}

class Sweep {
 public:
  Sweep(const GangBudget& gang, CoreAssignment& local, PeriodRange range, const Watch& watch)
      : gang_{gang}, local_{local}, watch_{watch} {
    result_.range = range;
  }

  WindowSearch run() {
    Duration period = result_.range.from;
    try {
      while (period <= result_.range.to) {
        watch_.show(part(period));
        stop_if_asked(watch_);
        const std::optional<Duration> next = look_at(period);
        if (!next) break;
        period = *next;
      }
    } catch (const SearchStopped&) {
      result_.stopped = true;
    }
    return std::move(result_);
  }

 private:
  /// The next period worth a look; nothing where there is none.
  std::optional<Duration> look_at(Duration period) {
    ++result_.periods;
    const Duration gang = gang_(period);
    const CoreFit fit = local_.fit(period, period - gang);
    if (fit.fits) {
      consider({period, gang, fit.need});
      return after_holding(period, gang);
    }
    note_miss({period, gang, fit.need});
    // The needs never fall when the period grows.
    const Duration most = result_.range.to;
    if (gang > most || fit.need > most - gang) return std::nullopt;
    Duration next = gang + fit.need;
    ++small_steps_;
    if (small_steps_ > max_small_steps || !local_.is_exact()) {
      const Duration coarse = period + std::max(tick, period / (local_.is_exact() ? coarse_step : 100));
      result_.skipped_periods = result_.skipped_periods || coarse > next;
      next = std::max(next, coarse);
    }
    return std::max(next, period + tick);
  }

  void consider(WindowChoice choice) {
    const std::optional<WindowChoice>& best = result_.best;
    if (best && !is_less(choice.gang, choice.period, best->gang, best->period)) return;
    result_.best = choice;
    result_.placement = local_.placement();
  }

  /// The first longer period whose share can be more than one percent smaller.
  [[nodiscard]] Duration after_holding(Duration period, Duration gang) const {
    // gang/next < 0.99 share
    const WindowChoice& best = *result_.best;
    const Int128 next =
        static_cast<Int128>(gang.count()) * best.period.count() * 100 / best.gang.count() / 99 + 1;
    if (next > result_.range.to.count()) return result_.range.to + tick;
    return std::max(period + tick, Duration{static_cast<std::int64_t>(next)});
  }

  void note_miss(NearMiss miss) {
    const auto missing = [](const NearMiss& at) {
      return (static_cast<double>(at.gang.count()) + static_cast<double>(at.local.count())) /
             static_cast<double>(at.period.count());
    };
    if (!result_.nearest || missing(miss) < missing(*result_.nearest)) result_.nearest = miss;
  }

  [[nodiscard]] double part(Duration period) const {
    const double from = std::log(static_cast<double>(result_.range.from.count()));
    const double to = std::log(static_cast<double>(result_.range.to.count()) + 1);
    return (std::log(static_cast<double>(period.count())) - from) / (to - from);
  }

  const GangBudget& gang_;
  CoreAssignment& local_;
  const Watch& watch_;
  WindowSearch result_;
  std::int64_t small_steps_ = 0;
};

/// The smallest power of ten that is no less than a tenth of the number.
std::int64_t leading_power(std::int64_t number) {
  std::int64_t power = 1;
  while (power <= number / 10) power *= 10;
  return power;
}

/// Periods of one, then of two digits, in each class the longest first.
std::vector<Duration> round_periods(PeriodRange range) {
  std::vector<Duration> periods;
  const auto add = [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t power = leading_power(range.to.count()); power > 0; power /= 10) {
      for (std::int64_t digits = to; digits >= from; --digits) {
        const Int128 value = static_cast<Int128>(digits) * power / (from < 10 ? 1 : 10);
        if (from >= 10 && power < 10) break;
        if (value < range.from.count() || value > range.to.count()) continue;
        periods.emplace_back(static_cast<std::int64_t>(value));
      }
    }
  };
  add(1, 9);
  add(10, 99);
  return periods;
}

/// The roundest number from `least` to `most`.
Duration roundest(Duration least, Duration most) {
  for (std::int64_t power = leading_power(most.count()); power > 1; power /= 10) {
    const std::int64_t rounded = ceil_div(least.count(), power) * power;
    if (rounded <= most.count()) return Duration{rounded};
  }
  return least;
}

}  // namespace

WindowSearch search_windows(const GangBudget& gang, CoreAssignment& local, PeriodRange range,
                            const Watch& watch) {
  return Sweep{gang, local, range, watch}.run();
}

void prefer_round_numbers(WindowSearch& search, const GangBudget& gang, CoreAssignment& local) {
  if (!search.best) return;
  // Shares up to 1.01 times the least one.
  const Duration share_of_best = search.best->gang;
  const Duration period_of_best = search.best->period;
  const auto max_gang = [&](Duration period) {
    const Int128 most = static_cast<Int128>(share_of_best.count()) * period.count() * 101 /
                        (static_cast<Int128>(period_of_best.count()) * 100);
    return Duration{static_cast<std::int64_t>(std::min<Int128>(most, period.count()))};
  };
  for (const Duration period : round_periods(search.range)) {
    const Duration least = gang(period);
    if (least > max_gang(period)) continue;
    const CoreFit fit = local.fit(period, period - least);
    if (!fit.fits) continue;
    search.best = WindowChoice{period, least, fit.need};
    search.placement = local.placement();
    break;
  }
  WindowChoice& best = *search.best;
  // A rounder gang budget, as far as the cores still hold.
  const Duration most = std::min(max_gang(best.period), best.period - tick);
  if (most <= best.gang) return;
  const Duration rounder = roundest(best.gang, most);
  const CoreFit fit = local.fit(best.period, best.period - rounder);
  if (!fit.fits) return;
  best.gang = rounder;
  best.local = fit.need;
  search.placement = local.placement();
}

}  // namespace tactus::plan
