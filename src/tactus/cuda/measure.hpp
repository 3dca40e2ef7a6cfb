// How long your kernels take on a part of the device, and the model that follows.
#pragma once

#include "tactus/device/cuda/measure.hpp"
#include "tactus/runtime/margin_rule.hpp"
#include "tactus/runtime/work_fit.hpp"
