// Margins: from measured times to bounds that a model may use.
#pragma once

#include <string>
#include <string_view>

#include "tactus/base/exact.hpp"
#include "tactus/base/sample_summary.hpp"
#include "tactus/base/time.hpp"

namespace tactus::measure {

using tactus::SampleSummary;
using tactus::summary_of;

/// A measured maximum is not the worst case. The rule selects a statistic and a factor; the result is rounded
/// up to a microsecond.
struct MarginRule {
  enum class Value { max, p999 };
  Value value = Value::max;
  Rational factor{6, 5};

  /// OverflowError when it overflows 64 bits.
  [[nodiscard]] Duration apply(const SampleSummary& summary) const;
  /// "max * 1.2, rounded up to 1us".
  [[nodiscard]] std::string text() const;

  friend bool operator==(const MarginRule&, const MarginRule&) = default;
};

/// Reads "max", "p99.9", "max*1.5" or "p99.9*2". InputError for other text, and for a factor below 1.
MarginRule parse_margin_rule(std::string_view text);

}  // namespace tactus::measure
