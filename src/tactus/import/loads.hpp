// How much the tasks need of every processing unit.
#pragma once

#include <vector>

#include "tactus/import/convert.hpp"

namespace tactus::import {

/// Of kernels and CPU work; copies count for no unit. `jobs` and `tasks` belong together.
std::vector<Load> loads_of(const Model& model, const std::vector<Job>& jobs, const std::vector<Task>& tasks);

/// Warns about units that are needed for more than all their time.
void warn_of_overload(const Model& model, const std::vector<Load>& loads, Notes& notes);

/// "154 %", rounded up.
std::string percent(const Rational& share);

/// An average is no bound, so it is rounded to the nearest tenth of a percent. But what is more than all the
/// time never reads as 100 %.
std::string average_percent(const Rational& share);

}  // namespace tactus::import
