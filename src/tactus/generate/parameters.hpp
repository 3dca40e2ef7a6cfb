// The parameters of a generator, each with a type, a default and bounds.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tactus/base/exact.hpp"
#include "tactus/base/time.hpp"
#include "tactus/model/limits.hpp"

namespace tactus::generate {

enum class ParameterKind : std::uint8_t {
  integer,
  decimal,
  decimals,
  ratio,
  boolean,
  word,
  duration,
  durations
};

/// A ratio such as "1:8". Both terms are above 0.
struct Ratio {
  std::int64_t first = 1;
  std::int64_t second = 1;
  friend bool operator==(const Ratio&, const Ratio&) = default;
};

/// One parameter of a generator.
struct Parameter {
  std::string_view key;
  ParameterKind kind;
  std::string_view fallback;  // its default as a file writes it; empty when it has none
  std::string_view meaning;   // one phrase, for the help and the documentation
  bool required = false;
  /// Bounds of integers, of each decimal and duration, and of both terms of a ratio.
  Range allowed{0, std::numeric_limits<std::int64_t>::max()};
  std::span<const std::string_view> words{};  // allowed values of a word
};

using ParameterValue = std::variant<std::int64_t, Rational, bool, std::string, Duration,
                                    std::vector<Duration>, std::vector<Rational>, Ratio>;

/// As a file writes it: "3", "0.2", "[1.5, 2]", "1:8", "10ms", "[10ms, 20ms]".
std::string to_text(const ParameterValue& value);

/// The values of a generator's parameters. Those without a value and without a default are absent.
class Parameters {
 public:
  /// All defaults. The specification must outlive the parameters.
  explicit Parameters(std::span<const Parameter> specification);

  [[nodiscard]] std::span<const Parameter> specification() const { return specification_; }
  /// Null when the generator has no such parameter.
  [[nodiscard]] const Parameter* find_specification(std::string_view key) const;

  /// The value must be of the parameter's kind.
  void set(std::string_view key, ParameterValue value);
  [[nodiscard]] bool has(std::string_view key) const { return value_of(key).has_value(); }
  [[nodiscard]] const std::optional<ParameterValue>& value_of(std::string_view key) const;

  /// The values that are present.
  [[nodiscard]] std::int64_t integer(std::string_view key) const { return get<std::int64_t>(key); }
  [[nodiscard]] const Rational& decimal(std::string_view key) const { return get<Rational>(key); }
  [[nodiscard]] const std::vector<Rational>& decimals(std::string_view key) const {
    return get<std::vector<Rational>>(key);
  }
  [[nodiscard]] Ratio ratio(std::string_view key) const { return get<Ratio>(key); }
  [[nodiscard]] bool boolean(std::string_view key) const { return get<bool>(key); }
  [[nodiscard]] const std::string& word(std::string_view key) const { return get<std::string>(key); }
  [[nodiscard]] Duration duration(std::string_view key) const { return get<Duration>(key); }
  [[nodiscard]] const std::vector<Duration>& durations(std::string_view key) const {
    return get<std::vector<Duration>>(key);
  }

 private:
  [[nodiscard]] std::size_t index_of(std::string_view key) const;
  template <typename T>
  [[nodiscard]] const T& get(std::string_view key) const {
    return std::get<T>(value_of(key).value());
  }

  std::span<const Parameter> specification_;
  std::vector<std::optional<ParameterValue>> values_;
};

/// A rule that several values break together.
struct ParameterProblem {
  std::string_view key;  // the parameter to point at
  std::string message;
  std::string hint;
  friend bool operator==(const ParameterProblem&, const ParameterProblem&) = default;
};

}  // namespace tactus::generate
