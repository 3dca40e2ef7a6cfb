// The measurements of the first GPU of this machine.
#pragma once

#include "tactus/measure/measurements.hpp"

namespace tactus::cuda {

extern const measure::Measurements measurements;

}  // namespace tactus::cuda
