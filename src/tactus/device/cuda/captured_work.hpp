// Work that is captured before the run: a bound function is called once for each set of SMs, and jobs launch
// the CUDA graph of what it enqueued.
//
// - The stream in which a graph was captured decides on which SMs it runs, so there is one graph for each
// set. Where the task has buffers, there is one for each place of a job, too: arguments do not change.
// - The stream in which it is launched decides its priority (it is instantiated without node priorities), so
//   levels need no graphs of their own.
// - CUDA runs the launches of one graph one after the other. This is right here: they use the same memory.
//   What is written before a launch, the facts of its job, waits for the launch before in the same way.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <vector>

#include "tactus/device/cuda/graph_capture.hpp"
#include "tactus/device/cuda/job_facts.hpp"
#include "tactus/device/cuda/lane_streams.hpp"
#include "tactus/device/cuda/memory.hpp"
#include "tactus/device/cuda/segment_work.hpp"
#include "tactus/device/cuda/stream.hpp"
#include "tactus/device/cuda/stream_queues.hpp"
#include "tactus/device/device.hpp"

namespace tactus::cuda {

class CapturedWorks {
 public:
  /// Calls the functions that are bound to be captured. InputError with every one that cannot be, and why.
  CapturedWorks(const device::Setup& setup, const SegmentWorks& works, const LaneStreams& streams);

  /// Enqueues the work of a submission of captured work. FailureError when CUDA refuses.
  void launch(const device::Setup& setup, const StreamEntry& entry, cudaStream_t stream) const;

 private:
  struct CapturedSegment {
    TaskIndex task = 0;
    std::uint32_t segment = 0;
  };
  Obstacle capture_all(const device::Setup& setup, const SegmentWork& work, const CapturedSegment& captured,
                       const LaneStreams& streams);

  struct Place {
    sched::SmSetId sms = 0;
    std::uint32_t job_place = 0;  // of the job among those of its task; 0 where it has no buffers
    GraphExec graph;
    DeviceBuffer<JobFacts> facts;  // empty: the function did not ask for it
    Event done;                    // the launch before, which reads the facts of its own job
  };
  std::vector<std::vector<std::vector<Place>>> places_;  // by task and segment
};

}  // namespace tactus::cuda
