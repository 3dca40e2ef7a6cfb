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

/// Orders what this thread, and those that it has heard of, did before with what follows, for the host, too.
/// Lighter than __threadfence_system(), which orders more than is needed.
__device__ inline void fence_with_host() { asm volatile("fence.acq_rel.sys;" ::: "memory"); }

/// Orders what this thread, and those that it has heard of, did before with what follows, for all of the
/// device.
__device__ inline void fence_on_device() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }

/// Writes a word that the host reads: whoever sees it there sees also what this thread, and those that it has
/// heard of, did before. Lighter than a fence and a write.
__device__ inline void release_to_host(unsigned int* place, unsigned int value) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" : : "l"(place), "r"(value) : "memory");
}

/// Reads a word of the device's memory that others write. What was written before is seen from here on, also
/// in the host's memory.
__device__ inline unsigned long long acquire_now(const unsigned long long* place) {
  unsigned long long value;
  asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(place) : "memory");
  return value;
}
/// The same with an atomic exchange where the word is as expected. Returns what it was.
__device__ inline unsigned long long acquire_if_equal(unsigned long long* place, unsigned long long expected,
                                                      unsigned long long wanted) {
  unsigned long long before;
  asm volatile("atom.acq_rel.sys.global.cas.b64 %0, [%1], %2, %3;"
               : "=l"(before)
               : "l"(place), "l"(expected), "l"(wanted)
               : "memory");
  return before;
}

}  // namespace tactus::cuda
