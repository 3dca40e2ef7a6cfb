// The host device: threads of this machine act as GPU, copy engines and CPU cores.
//
// Bound functions run on threads, block by block under the rules of the GPU (device/rules). Work that is not
// bound takes the time its system says: on the GPU and its copy engines a clock ends it, on a CPU core it
// uses up that much CPU time. So whatever is simulated can be run on any machine.
//
// One thread is the front end: it owns the rules and decides what starts. Requests, ends of work and reports
// go to and from it through bounded queues; nobody waits for a lock.
#pragma once

#include <cstdint>
#include <memory>

#include "tactus/base/time.hpp"
#include "tactus/device/device.hpp"

namespace tactus::device {

struct HostOptions {
  /// Threads of the device. Blocks of bound kernels share what is left of them; a system whose other work
  /// needs more is refused.
  std::uint32_t max_threads = 256;
  /// `wait` sleeps until so long before its instant, then watches the clock. Only where there is more than
  /// one CPU. With `always_spins` the device's own threads do not sleep either, where each can have a CPU.
  Duration spin = std::chrono::microseconds{100};
  /// CPU segments run under SCHED_FIFO, each pinned to its core, where that is permitted.
  bool real_time = true;
  /// How often a CPU segment that is not bound looks whether it is to give way.
  Duration yield_interval = std::chrono::microseconds{20};
  /// How long `close` waits for bound functions to return, or as long as the longest of them takes if that is
  /// more. One that does not is left behind with its thread, and that is a failure.
  Duration patience = std::chrono::seconds{10};
  /// Block, copy and CPU events that may wait for `poll`; more are lost, and `not_enforced` says so.
  std::uint32_t max_events = 1U << 16U;
};

std::unique_ptr<Device> make_host_device(const HostOptions& options = {});

}  // namespace tactus::device
