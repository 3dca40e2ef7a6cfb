// How segments are cut into submissions: the one place that knows.
//
// A slice of a kernel is a wave: as many blocks as its SMs hold at once, which start and end together. A
// slice of exclusive work is its longest block, or all of it where it can be preempted anywhere. A slice of a
// copy is a piece of it (`copy_chunk`), where the strategy cuts copies; a best-effort copy that more urgent
// jobs cannot overtake is cut as the device says.
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
    std::uint32_t overtaken_from = 1;   // the first level that others overtake
  };

  /// `sm_sets`: how many SMs each set has, by id.
  Cutting(const System& system, std::vector<std::int64_t> sm_sets, BestEffortCopies copies);

  /// What a submission stands for.
  [[nodiscard]] Stretch stretch(TaskIndex task, const Submit& submit,
                                const SegmentProgress& done) const noexcept;

 private:
  struct SegmentCut {
    std::int64_t blocks_per_sm = 0;     // of a kernel; else 0
    Duration slice = Duration::max();   // of exclusive work
    std::int64_t piece = Stretch::all;  // bytes of a copy
    bool is_best_effort_copy = false;
  };
  std::vector<std::int64_t> sm_sets_;
  BestEffortCopies copies_;
  std::vector<std::vector<SegmentCut>> cuts_;  // by task and segment
};

}  // namespace tactus::sched
