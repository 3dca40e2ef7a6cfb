// Supply bound functions: the least supply of an interval, and the least interval with a supply.
#pragma once

#include <cstdint>

#include "tactus/base/exact.hpp"
#include "tactus/base/time.hpp"

namespace tactus::analysis {

/// The least supply of any interval of length t, one of
///   always   t
///   windows  k Q + max(0, t - k P - (P - Q)), k = floor(t/P): windows of Q every P, the interval starts when
///            one has just ended
///   line     max(0, (Q/P)(t - (P - Q))): the line below the windows
/// Each is superadditive: supply(a + b) >= supply(a) + supply(b).
class SupplyBound {
 public:
  enum class Shape : std::uint8_t { always, windows, line };

  static SupplyBound always() { return {}; }
  /// Windows that cover their period are `always`. 0 <= budget <= period, period > 0.
  static SupplyBound windows(Duration budget, Duration period) {
    return {Shape::windows, budget.count(), period.count()};
  }
  static SupplyBound line(Duration budget, Duration period) {
    return {Shape::line, budget.count(), period.count()};
  }

  [[nodiscard]] Shape shape() const { return shape_; }
  [[nodiscard]] bool is_empty() const { return budget_ == 0; }
  /// The share of time it gives in the long run is budget / period.
  [[nodiscard]] std::int64_t budget() const { return budget_; }
  [[nodiscard]] std::int64_t period() const { return period_; }
  [[nodiscard]] std::int64_t gap() const { return period_ - budget_; }

  /// In whole nanoseconds, rounded down (only a line has fractions).
  [[nodiscard]] Duration in(Duration interval) const {
    const std::int64_t t = interval.count();
    if (shape_ == Shape::always) return interval;
    if (shape_ == Shape::line) {
      if (t <= gap()) return Duration{};
      return Duration{static_cast<std::int64_t>(static_cast<Int128>(t - gap()) * budget_ / period_)};
    }
    const std::int64_t whole = t / period_;
    const std::int64_t rest = t % period_ - gap();
    return Duration{whole * budget_ + (rest > 0 ? rest : 0)};
  }

  /// The least whole t whose supply is at least `work` > 0. Not for an empty supply. The caller makes sure
  /// that the result fits `Number`; with Int128 it does for every work of 63 bits.
  template <typename Number>
  [[nodiscard]] Number time_for(Number work) const {
    if (shape_ == Shape::always) return work;
    if (shape_ == Shape::line) {
      return static_cast<Number>(gap() + (static_cast<Int128>(work) * period_ + budget_ - 1) / budget_);
    }
    const Number whole = (work - 1) / budget_;  // windows used up before the last one
    return whole * period_ + gap() + (work - whole * budget_);
  }

 private:
  SupplyBound() = default;
  SupplyBound(Shape shape, std::int64_t budget, std::int64_t period)
      : shape_{budget == period ? Shape::always : shape}, budget_{budget}, period_{period} {
    if (shape_ == Shape::always) budget_ = period_ = 1;
  }

  Shape shape_ = Shape::always;
  std::int64_t budget_ = 1;
  std::int64_t period_ = 1;
};

}  // namespace tactus::analysis
