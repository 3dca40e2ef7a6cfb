// Where and when a device thread runs.
#pragma once

namespace tactus::cuda {

/// The SM that the calling thread runs on.
__device__ inline unsigned sm_id() {
  unsigned id;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}

/// The device's clock in nanoseconds, common to all SMs. Its resolution may be coarse (32 ns on an H200).
__device__ inline unsigned long long global_time() {
  unsigned long long time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}

/// What the host, or other work, wrote before is seen from here on. Lighter than __threadfence_system(),
/// which orders more than is needed.
__device__ inline void acquire_from_host() { asm volatile("fence.acq_rel.sys;" ::: "memory"); }
/// What this block and those before it wrote is seen by the host before what follows.
__device__ inline void release_to_host() { asm volatile("fence.acq_rel.sys;" ::: "memory"); }

/// Orders what this thread, and those that it has heard of, did before with what follows, for all of the
/// device.
__device__ inline void fence_on_device() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }

}  // namespace tactus::cuda
