// An experiment: which systems are made, which parameter varies, which analyses judge them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tactus/analysis/analysis.hpp"
#include "tactus/generate/generator.hpp"
#include "tactus/model/system.hpp"
#include "tactus/sweep/measures.hpp"
#include "tactus/sweep/observe.hpp"
#include "tactus/sweep/policy_variant.hpp"

namespace tactus::sweep {

/// One value of the varied parameter; of both where two vary.
struct Point {
  generate::ParameterValue value;
  generate::Parameters parameters;  // all of them, with these values
  std::optional<generate::ParameterValue> second{};
};

/// How a plot shows the values of the second parameter.
enum class SecondShown : std::uint8_t { panels, curves };

/// Built by `read_experiment`, or in code with analyses of your own.
struct Experiment {
  std::string name;
  std::string title;  // above the plot; may be empty
  generate::Generator generator;
  std::string varied;  // key of the parameter
  /// Where two parameters vary: all values of the first with one of the second, then with the next.
  std::vector<Point> points;
  std::vector<analysis::Analysis> analyses;  // one curve each
  std::int64_t systems = 0;                  // of each point
  std::uint64_t seed = 1;
  std::string second{};  // key of the second parameter; empty where one varies
  SecondShown second_shown = SecondShown::panels;
  /// Policies that the systems are judged under; empty: as generated.
  std::vector<PolicyVariant> policies{};
  std::vector<std::size_t> policy_of{};  // of every analysis; empty where `policies` is
  std::vector<Measure> measures{Measure::acceptance};
  Observation observation{};

  [[nodiscard]] bool measures_also(Measure measure) const;
};

/// The name of a curve: "np-edf", or "np-edf (single-stream edf)" where policies are compared.
std::string curve_name(const Experiment& experiment, std::size_t analysis);

/// Points that have one value of the second parameter: a panel, or all there are.
struct Panel {
  std::string value;  // empty where one parameter varies
  std::size_t first = 0;
  std::size_t count = 0;
};

std::vector<Panel> panels(const Experiment& experiment);

/// The number of a numeric value; of a duration: nanoseconds.
Rational number_of(const generate::ParameterValue& value);

/// System `number` of a point, as generated. It depends on the seed, the value of the point and the number
/// alone: not on other points, on the analyses or on what was made before. Points that differ in the second
/// parameter have the same seeds.
System make_system(const Experiment& experiment, const Point& point, std::int64_t number);

}  // namespace tactus::sweep
