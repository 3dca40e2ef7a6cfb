// The host device: threads of this machine act as GPU, copy engines and CPU cores.
//
// Bound functions run on threads, block by block under the rules of the GPU (device/rules). Work without a
// binding takes the time that its system says: on the GPU and its copy engines it is timed by the clock, on a
// CPU core it consumes CPU time. So every system that can be simulated can also run on any machine.
//
// One thread is the front end: it owns the rules and decides what starts. It exchanges requests, completions
// and reports with the other threads through bounded queues, without locks.
#pragma once

#include <cstdint>
#include <memory>

#include "tactus/base/time.hpp"
#include "tactus/device/device.hpp"

namespace tactus::device {

struct HostOptions {
  /// The largest number of threads. Blocks of bound kernels share those that other work does not need; a
  /// system whose other work needs more is refused.
  std::uint32_t max_threads = 256;
  /// `wait` sleeps until this long before its instant, then spins. Only with more than one CPU. With
  /// `always_spins` the threads of the device do not sleep either, if there is a CPU for each.
  Duration spin = std::chrono::microseconds{100};
  /// CPU segments run under SCHED_FIFO, pinned to their cores, where permitted.
  bool real_time = true;
  /// How often a CPU segment without a binding checks whether it must yield.
  Duration yield_interval = std::chrono::microseconds{20};
  /// How long `close` waits for bound functions, or the longest declared time of any of them if that is
  /// longer. A function that does not return is abandoned with its thread, and counts as a failure.
  Duration patience = std::chrono::seconds{10};
  /// Block, copy and CPU events that may wait for `poll`. Further ones are lost, and `not_enforced` says so.
  std::uint32_t max_events = 1U << 16U;
};

/// Whether functions on CPU cores are preempted by priority: where SCHED_FIFO is granted.
bool preempts_functions(const HostOptions& options);

std::unique_ptr<Device> make_host_device(const HostOptions& options = {});

}  // namespace tactus::device
