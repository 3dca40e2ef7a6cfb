#include "tactus/sched/cutting.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace tactus::sched {

Cutting::Cutting(const System& system, std::vector<std::int64_t> sm_sets) : sm_sets_{std::move(sm_sets)} {
  const Gpu& gpu = system.platform.gpu;
  for (const Task& task : system.tasks) {
    std::vector<SegmentCut>& cuts = cuts_.emplace_back();
    for (const Node& node : task.work.nodes) {
      SegmentCut& cut = cuts.emplace_back();
      if (const auto* kernel = std::get_if<KernelSegment>(&node.segment)) {
        cut.blocks_per_sm = std::max<std::int64_t>(1, blocks_per_sm(block_demand(*kernel, gpu), gpu));
      } else if (std::holds_alternative<ExclusiveSegment>(node.segment)) {
        if (task.longest_block.value_or(Duration{}) > Duration{}) cut.slice = *task.longest_block;
      } else if (const auto* copy = std::get_if<CopySegment>(&node.segment)) {
        const CopyPieces pieces = copy_pieces(*copy, gpu);
        if (system.policy.strategy->cuts_copies && pieces.count > 1) cut.piece = pieces.bytes;
      }
    }
  }
}

Stretch Cutting::stretch(TaskIndex task, const Submit& submit, const Progress& done) const noexcept {
  Stretch stretch{.done = done};
  if (submit.extent != Extent::slice) return stretch;
  const SegmentCut& cut = cuts_[task][submit.operation.segment];
  if (cut.blocks_per_sm > 0) {
    stretch.most_blocks = cut.blocks_per_sm * std::max<std::int64_t>(1, sm_sets_[submit.sms]);
  }
  stretch.most_time = cut.slice;
  stretch.most_bytes = cut.piece;
  return stretch;
}

}  // namespace tactus::sched
