// What a flight that has ended leaves in the trace.
#pragma once

#include "tactus/device/cuda/stream_queues.hpp"
#include "tactus/device/device.hpp"

namespace tactus::cuda {

/// The device does not say where the blocks ran: GPU work leaves one event for every SM of its set.
void tell_trace(const device::Setup& setup, const StreamEntry& entry, Time start, Time end);

}  // namespace tactus::cuda
