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

}  // namespace tactus::cuda
