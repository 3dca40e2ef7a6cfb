#include "tactus/sched/cutting.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

namespace tactus::sched {

Cutting::Cutting(const System& system, std::vector<std::int64_t> sm_sets, BestEffortCopies copies)
    : sm_sets_{std::move(sm_sets)}, copies_{copies} {
  const Gpu& gpu = system.platform.gpu;
  const StrategyFacts& strategy = *system.policy.strategy;
  if (strategy.sms == SmSharing::cores) {  // a core has one submission at a time, so nothing can overtake
    copies_.overtaken_from = std::numeric_limits<std::uint32_t>::max();
  }
  const bool by_node = is_by_node(system);
  for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
    const Task& task = system.tasks[index];
    const Duration turn = time_slice_of(system, index);
    std::vector<SegmentCut>& cuts = cuts_.emplace_back();
    for (const Node& node : task.work.nodes) {
      SegmentCut& cut = cuts.emplace_back();
      if (const auto* kernel = std::get_if<KernelSegment>(&node.segment)) {
        cut.blocks_per_sm = std::max<std::int64_t>(1, blocks_per_sm(block_demand(*kernel, gpu), gpu));
        if (strategy.slices_time) cut.waves = waves_of_turn(*kernel, turn);
      } else if (std::holds_alternative<ExclusiveSegment>(node.segment)) {
        if (task.longest_block.value_or(Duration{}) > Duration{}) cut.slice = *task.longest_block;
        if (strategy.slices_time) cut.slice = turn;
      } else if (const auto* copy = std::get_if<CopySegment>(&node.segment)) {
        const CopyChunks pieces = chunks_of(*copy, gpu);
        if (by_node && pieces.count > 1) cut.piece = pieces.bytes;
        cut.is_best_effort_copy = task.arrival == Arrival::best_effort && !strategy.streams_of_tasks;
      }
    }
  }
}

Stretch Cutting::stretch(TaskIndex task, const Submit& submit, const SegmentProgress& done) const noexcept {
  Stretch stretch{.done = done};
  if (submit.extent == Extent::whole) return stretch;
  const SegmentCut& cut = cuts_[task][submit.id.segment];
  if (cut.is_best_effort_copy && submit.level < copies_.overtaken_from) stretch.max_bytes = copies_.slice;
  if (submit.extent != Extent::slice) return stretch;
  if (cut.blocks_per_sm > 0) {
    stretch.max_blocks = cut.waves * cut.blocks_per_sm * std::max<std::int64_t>(1, sm_sets_[submit.sms]);
  }
  stretch.max_time = cut.slice;
  stretch.max_bytes = std::min(stretch.max_bytes, cut.piece);
  return stretch;
}

}  // namespace tactus::sched
