// The job as seen by a function that enqueues GPU work on a CUDA device.
//
//   runtime.bind("detector", [&](tactus::cuda::Job& job) {
//     detect<<<blocks, 256, 0, job.stream()>>>(frame, boxes);
//   });
//
// The function is called on the engine's thread, or on a thread of its task (`launcher: true`): it enqueues
// work and must not block. What it enqueues in the stream is the work of the segment, which ends when the
// stream has completed it. It must not allocate or free device memory or pinned memory, since that waits for
// all work on the device. So does loading a kernel at its first launch: use `load` before the run.
//
// A function bound with `bind_captured` is called before the run only, for a job with number 0, once for each
// set of SMs on which the segment may run. Jobs then repeat what it enqueued, with the same arguments.
//
// The function is called for every submission of the segment, so more than once if the work is stopped and
// continued, or submitted in parts. Where only a loop keeps a kernel on its SMs (`sm_sets_by = pinning`), it
// is called again whenever other work occupied all of them.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>

#include "tactus/device/cuda/block_loop.hpp"
#include "tactus/device/cuda/error.hpp"
#include "tactus/device/cuda/job_facts.hpp"
#include "tactus/device/job.hpp"

namespace tactus::cuda {

/// Loads a kernel, so that its first launch is not slower than later ones.
template <class... Arguments>
void load(void (*kernel)(Arguments...)) {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel)), "cannot load a kernel");
}

/// What the device does for a job while its function is called.
class JobServices {
 public:
  JobServices() = default;
  JobServices(const JobServices&) = delete;
  JobServices& operator=(const JobServices&) = delete;
  virtual ~JobServices() = default;
  /// The loop that makes a kernel stoppable.
  virtual BlockLoop begin_loop(dim3 grid) = 0;
  virtual const JobFacts* device_facts() = 0;
};

class Job : public tactus::Job {
 public:
  struct LaunchTarget {
    cudaStream_t stream = nullptr;
    int sms = 1;
    unsigned virtual_sms = 1;
    dim3 grid;
    JobServices* services = nullptr;
  };
  Job(const Facts& facts, const LaunchTarget& place) : tactus::Job{facts}, place_{place} {}

  /// The stream for its work, with the priority and SMs that the scheduler chose.
  [[nodiscard]] cudaStream_t stream() const { return place_.stream; }
  /// The number of SMs of that stream, which a launch with a loop must fill.
  [[nodiscard]] int sms() const { return place_.sms; }
  /// Virtual SMs per SM under federated; otherwise 1. The loop allows this many blocks on an SM at once, and
  /// fewer where the task owns only a part of an SM (`parts_per_sm`).
  [[nodiscard]] unsigned virtual_sms() const { return place_.virtual_sms; }

  /// The argument for a kernel that takes its blocks from a loop (see <tactus/cuda/kernel.cuh>): it can be
  /// stopped, and continues when the scheduler submits the rest. To be called once per call of the function,
  /// for one launch in the stream. The grid is that of all the work: the model's, or the given one, which
  /// must be the same for all calls of a job.
  ///
  /// Best-effort work with `preemptible: true`, and work with `longest_block: 0` under sm-cores, launches
  /// resident_blocks(). Other work is submitted whole. It needs a loop only if it may be aborted; then it
  /// launches all blocks of the grid: each takes one, and the device preempts them by priority like those of
  /// a plain grid.
  ///
  /// Under federated the loop uses the SMs of the task, with virtual_sms() blocks on each.
  [[nodiscard]] BlockLoop loop() { return place_.services->begin_loop(place_.grid); }
  [[nodiscard]] BlockLoop loop(dim3 grid) { return place_.services->begin_loop(grid); }

  /// The number, release and deadline of the job in device memory, for kernels that are enqueued after this
  /// call. Captured work needs it, since its arguments do not change; it works for other functions, too. Jobs
  /// of one task that overlap in different streams (`as-submitted`) share the memory of captured work.
  [[nodiscard]] const JobFacts* device_facts() { return place_.services->device_facts(); }

  /// The number of blocks that the SMs of the stream hold at once: the grid for a launch with a loop.
  template <class... Arguments>
  [[nodiscard]] unsigned resident_blocks(void (*kernel)(Arguments...), unsigned threads,
                                         std::size_t shared_memory = 0) const {
    int on_sm = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&on_sm, reinterpret_cast<const void*>(kernel),
                                                        static_cast<int>(threads), shared_memory),
          "cannot read the occupancy");
    return static_cast<unsigned>(std::max(1, on_sm * place_.sms));
  }

 private:
  LaunchTarget place_;
};

}  // namespace tactus::cuda
