// How long your kernels take on a part of the device, and the model that follows. See docs/measuring.md.
#pragma once

#include "tactus/device/cuda/measure.hpp"
#include "tactus/io/write_system.hpp"
#include "tactus/measure/margin_rule.hpp"
#include "tactus/measure/work_fit.hpp"
