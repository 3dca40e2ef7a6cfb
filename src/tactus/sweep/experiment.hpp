// An experiment: which systems are made, which parameter varies, which analyses judge them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tactus/analysis/analysis.hpp"
#include "tactus/generate/generator.hpp"
#include "tactus/model/system.hpp"

namespace tactus::sweep {

/// One value of the varied parameter.
struct Point {
  generate::ParameterValue value;
  generate::Parameters parameters;  // all of them, with this value
};

/// Built by `read_experiment`, or in code with analyses of your own.
struct Experiment {
  std::string name;
  std::string title;  // above the plot; may be empty
  generate::Generator generator;
  std::string varied;  // key of the parameter
  std::vector<Point> points;
  std::vector<analysis::Analysis> analyses;
  std::int64_t systems = 0;  // a point
  std::uint64_t seed = 1;
};

/// System `number` of a point. It depends on the seed, the value of the point and the number alone: not on
/// other points, on the analyses or on what was made before.
System make_system(const Experiment& experiment, const Point& point, std::int64_t number);

}  // namespace tactus::sweep
