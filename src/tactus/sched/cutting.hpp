// How segments are cut into submissions. No other code decides this.
//
// Where the GPU serves in time slices, a slice of work is one of these, of a kernel as many whole waves as
// fit. Otherwise a slice of a kernel is a wave: as many blocks as its SMs hold at once, which start and end
// together. A slice of exclusive work is one longest_block, or the whole segment where it is preemptible
// anywhere. A slice of a copy is a chunk (`copy_chunk`) where nodes are served one by one. A best-effort copy
// that more urgent copies cannot overtake is cut as the device says (Capabilities::copy_slice).
#pragma once

#include <cstdint>
#include <vector>

#include "tactus/model/system.hpp"
#include "tactus/sched/command.hpp"

namespace tactus::sched {

class Cutting {
 public:
  struct BestEffortCopies {
    std::int64_t slice = Stretch::all;  // bytes
    std::uint32_t overtaken_from = 1;   // the first level at which more urgent copies overtake
  };

  /// `sm_sets`: the number of SMs of each set, by id.
  Cutting(const System& system, std::vector<std::int64_t> sm_sets, BestEffortCopies copies);

  /// The part of its segment that a submission covers.
  [[nodiscard]] Stretch stretch(TaskIndex task, const Submit& submit,
                                const SegmentProgress& done) const noexcept;

 private:
  struct SegmentCut {
    SegmentProgress end = Stretch{}.until;  // of the segment, as far as the model says it
    std::int64_t blocks_per_sm = 0;         // of a kernel; else 0
    std::int64_t waves = 1;                 // of a kernel, in a slice
    Duration slice = Duration::max();       // of exclusive work
    std::int64_t piece = Stretch::all;      // chunk size of a copy, in bytes
    std::int64_t bandwidth = 0;             // of a copy given in bytes
    bool is_best_effort_copy = false;
  };
  std::vector<std::int64_t> sm_sets_;
  BestEffortCopies copies_;
  std::vector<std::vector<SegmentCut>> cuts_;  // by task and segment
};

}  // namespace tactus::sched
