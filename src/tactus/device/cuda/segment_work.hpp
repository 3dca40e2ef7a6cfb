// The facts of a segment on a CUDA device that are the same for every job.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tactus/device/device.hpp"
#include "tactus/device/segment_facts.hpp"

namespace tactus::cuda {

struct SegmentWork : device::SegmentFacts {
  // Kernels
  std::array<std::int64_t, 3> shape{1, 1, 1};
  std::int64_t threads = 1;
  std::int64_t shared_memory = 0;
  std::int64_t blocks_per_sm = 1;  // as in the model
  std::int64_t resident = 1;       // built-in: blocks that an SM of the device holds

  // Copies
  bool from_device = false;
  const CopyOfJob* copy = nullptr;  // bound: returns the buffers

  bool best_effort = false;
  bool preemptible = false;                // it can be asked to stop between blocks
  bool may_abort = false;                  // an overrun aborts its job
  const device::Binding* calls = nullptr;  // the bound function that enqueues it

  [[nodiscard]] bool is_captured() const { return calls != nullptr && calls->captured; }
  [[nodiscard]] bool is_built_in() const { return calls == nullptr && copy == nullptr; }
  [[nodiscard]] bool is(device::OperationKind kind) const {
    return server != ServerKind::cpu && call.kind == kind;
  }
  [[nodiscard]] bool needs_sms() const { return server == ServerKind::gpu; }
};

/// By task and segment.
using SegmentWorks = std::vector<std::vector<SegmentWork>>;

/// InputError with everything that this device cannot run.
SegmentWorks make_segment_works(const System& system, const device::Bindings* bindings);

/// Only the bindings of CPU segments, for the host device that serves them.
device::Bindings cpu_bindings(const System& system, const device::Bindings* bindings);

/// What a submission covers.
struct Part {
  std::int64_t first_block = 0;
  std::int64_t blocks = 1;  // of a kernel
  Duration time{};          // of the whole part of exclusive work; of one block of a kernel
  bool is_last = true;      // the segment is finished after it
};

/// The part for a stretch of a segment. `whole` is the execution time drawn for the job.
Part part_of(const SegmentWork& work, const sched::Stretch& stretch, Duration whole);

/// The progress after the part has run.
sched::SegmentProgress after_part(const SegmentWork& work, const Part& part,
                                  const sched::SegmentProgress& before);

/// How exclusive work is cut into blocks of at most `longest`: this many in sequence on every place, each
/// this long.
struct Waves {
  std::int64_t count = 1;
  Duration each{};
};
Waves cut_into_waves(Duration time, Duration longest);

}  // namespace tactus::cuda
