// How long work continues after more urgent work has arrived.
#pragma once

#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/device/job.hpp"
#include "tactus/model/system.hpp"

namespace tactus::runtime {

/// By task and segment, as declared: the time of a block or of a slice of exclusive work; the whole time of a
/// bound function that occupies its SMs. 0 for copies and CPU work.
std::vector<std::vector<Duration>> longest_blocks(const System& system, const device::Bindings* bindings);

}  // namespace tactus::runtime
