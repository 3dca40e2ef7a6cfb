// How long work goes on when something more urgent has come.
#pragma once

#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/device/job.hpp"
#include "tactus/model/system.hpp"

namespace tactus::runtime {

/// By task and segment, as declared: a block, a slice of exclusive work, or all of a bound function that
/// occupies its SMs as a whole. 0 for copies and CPU work.
std::vector<std::vector<Duration>> longest_blocks(const System& system, const device::Bindings* bindings);

}  // namespace tactus::runtime
