// Measures kernels on a part of the device, and fits a model to the times.
#pragma once

#include "tactus/device/cuda/measure.hpp"
#include "tactus/measure/margin_rule.hpp"
#include "tactus/measure/work_fit.hpp"
