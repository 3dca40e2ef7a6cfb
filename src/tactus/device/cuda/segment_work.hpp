// What is the same for every job of a segment on a CUDA device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tactus/device/device.hpp"

namespace tactus::cuda {

struct SegmentWork {
  enum class Kind : std::uint8_t { cpu, copy, kernel, exclusive };
  Kind kind = Kind::kernel;
  Interval time;  // of a block, the copy, or all of it

  // Kernels
  std::int64_t grid = 1;
  std::array<std::int64_t, 3> shape{1, 1, 1};
  std::int64_t threads = 1;
  std::int64_t shared_memory = 0;
  std::int64_t blocks_per_sm = 1;  // as the model says
  std::int64_t resident = 1;       // built-in: blocks that an SM of the device holds

  // Exclusive work that is not bound: how long until it can be preempted. Nothing: not before its end; 0:
  // anywhere.
  std::optional<Duration> slice;

  // Copies
  std::optional<std::int64_t> bytes;
  bool from_device = false;
  const CopyOfJob* copy = nullptr;  // bound: what it moves

  bool best_effort = false;
  bool preemptible = false;                // it can be asked to stop between blocks
  bool may_abort = false;                  // an overrun ends its job
  const device::Binding* calls = nullptr;  // what enqueues it

  [[nodiscard]] bool is_built_in() const { return calls == nullptr && copy == nullptr; }
  [[nodiscard]] bool needs_sms() const { return kind == Kind::kernel || kind == Kind::exclusive; }
  [[nodiscard]] bool is_preemptible_anywhere() const { return slice == Duration{}; }
};

/// By task and segment.
using SegmentWorks = std::vector<std::vector<SegmentWork>>;

/// InputError with everything that this device cannot run.
SegmentWorks make_segment_works(const System& system, const device::Bindings* bindings);

/// The bindings of CPU segments alone: for the device that serves them.
device::Bindings cpu_bindings(const System& system, const device::Bindings* bindings);

template <class Visit>
void for_each_work(const SegmentWorks& works, Visit&& visit) {
  for (const std::vector<SegmentWork>& of_task : works) {
    for (const SegmentWork& work : of_task) visit(work);
  }
}

/// What a submission is to do.
struct Part {
  std::int64_t first_block = 0;
  std::int64_t blocks = 1;  // of a kernel
  Duration time{};          // of exclusive work, all of the part; of a kernel, a block
  bool is_last = true;      // the segment is finished when it is
};

/// The part that a stretch of a segment is. `whole` is what was drawn for the job.
Part part_of(const SegmentWork& work, const sched::Stretch& stretch, Duration whole);

/// The progress once the part has run.
sched::SegmentProgress after_part(const SegmentWork& work, const Part& part,
                                  const sched::SegmentProgress& before);

/// How exclusive work is cut into blocks that are at most `longest` long: so many one after the other on
/// every place, each so long.
struct Waves {
  std::int64_t count = 1;
  Duration each{};
};
Waves cut_into_waves(Duration time, Duration longest);

}  // namespace tactus::cuda
