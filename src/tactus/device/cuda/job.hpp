// The job that a function which enqueues GPU work for a CUDA device works for.
//
//   runtime.bind("detector", [&](tactus::cuda::Job& job) {
//     detect<<<blocks, 256, 0, job.stream()>>>(frame, boxes);
//   });
//
// The function is called by the engine's thread: it enqueues, and does not wait. What it enqueues in the
// stream is the segment's work; it has ended when the stream has done it all. It does not allocate or free
// memory of the device, nor locked memory: that waits for all work there. Kernels that are loaded at their
// first launch wait for it, too: use `load` before the run.
//
// The function is called for every submission of the job's segment, so more than once where its work is
// stopped and goes on, or comes in parts. Where only a loop keeps a kernel on its SMs
// (`sm_sets_by = pinning`) it is called again whenever others had them all.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>

#include "tactus/device/cuda/block_loop.hpp"
#include "tactus/device/cuda/error.hpp"
#include "tactus/device/job.hpp"

namespace tactus::cuda {

/// Loads a kernel, so that its first launch takes no longer than the others.
template <class... Arguments>
void load(void (*kernel)(Arguments...)) {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel)), "cannot load a kernel");
}

/// Gives a job the loop that makes its kernel stoppable.
class LoopSource {
 public:
  LoopSource() = default;
  LoopSource(const LoopSource&) = delete;
  LoopSource& operator=(const LoopSource&) = delete;
  LoopSource(LoopSource&&) = delete;
  LoopSource& operator=(LoopSource&&) = delete;
  virtual ~LoopSource() = default;
  virtual BlockLoop begin_loop(dim3 grid) = 0;
};

class Job : public tactus::Job {
 public:
  struct LaunchTarget {
    cudaStream_t stream = nullptr;
    int sms = 1;
    unsigned virtual_sms = 1;
    dim3 grid;
    LoopSource* loops = nullptr;
  };
  Job(const Facts& facts, const LaunchTarget& place) : tactus::Job{facts}, place_{place} {}

  /// Where its work goes: a stream of the priority and the SMs that the scheduler chose.
  [[nodiscard]] cudaStream_t stream() const { return place_.stream; }
  /// How many SMs that stream has: what a launch with a loop must fill.
  [[nodiscard]] int sms() const { return place_.sms; }
  /// Virtual SMs of an SM under federated; else 1. The loop lets so many blocks work on an SM at once.
  [[nodiscard]] unsigned virtual_sms() const { return place_.virtual_sms; }

  /// The argument of a kernel that takes its blocks one by one (see <tactus/cuda/kernel.cuh>): it can be
  /// stopped, and goes on when the scheduler submits the rest. Once a call, for one launch in the stream. The
  /// grid is that of all the work: the model's, or the given one, which must be the same for all calls of a
  /// job.
  ///
  /// Best-effort work that says `preemptible: true`, and work with `longest_block: 0` under sm-cores,
  /// launches resident_blocks(). Other work is submitted whole. It needs a loop only to be aborted, and then
  /// launches all blocks of the grid: each takes one, and the device preempts them by priority as those of a
  /// plain grid.
  ///
  /// Under federated the loop has the task's SMs, with virtual_sms() blocks on each.
  [[nodiscard]] BlockLoop loop() { return place_.loops->begin_loop(place_.grid); }
  [[nodiscard]] BlockLoop loop(dim3 grid) { return place_.loops->begin_loop(grid); }

  /// As many blocks as the SMs of the stream hold at once: what to launch with a loop.
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
