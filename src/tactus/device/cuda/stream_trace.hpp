// The trace events of a submission that has ended.
#pragma once

#include "tactus/device/cuda/stream_queues.hpp"
#include "tactus/device/device.hpp"

namespace tactus::cuda {

/// The device does not report where blocks ran, so GPU work leaves one event for every SM of its set.
void tell_trace(const device::Setup& setup, const StreamEntry& entry, Time start, Time end);

}  // namespace tactus::cuda
