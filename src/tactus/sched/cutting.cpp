#include "tactus/sched/cutting.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

namespace tactus::sched {

namespace {

/// Where a part of at most this size ends that begins at `done`.
template <class Amount>
Amount end_of(Amount done, Amount most, Amount end) {
  return most < end - done ? done + most : end;
}

}  // namespace

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
        cut.end.blocks = kernel->blocks();
        cut.blocks_per_sm = std::max<std::int64_t>(1, blocks_per_sm(block_demand(*kernel, gpu), gpu));
        if (strategy.slices_time) cut.waves = waves_of_turn(*kernel, turn);
      } else if (std::holds_alternative<ExclusiveSegment>(node.segment)) {
        if (task.longest_block.value_or(Duration{}) > Duration{}) cut.slice = *task.longest_block;
        if (strategy.slices_time) cut.slice = turn;
      } else if (const auto* copy = std::get_if<CopySegment>(&node.segment)) {
        const CopyChunks pieces = chunks_of(*copy, gpu);
        if (copy->bytes) {
          cut.end.bytes = *copy->bytes;
          cut.bandwidth = gpu.copy_bandwidth.value_or(0);
        }
        if (by_node && pieces.count > 1) cut.piece = pieces.bytes;
        cut.is_best_effort_copy = task.arrival == Arrival::best_effort && !strategy.streams_of_tasks;
      }
    }
  }
}

Stretch Cutting::stretch(TaskIndex task, const Submit& submit, const SegmentProgress& done) const noexcept {
  const SegmentCut& cut = cuts_[task][submit.id.segment];
  Stretch stretch{.done = done, .until = cut.end};
  std::int64_t bytes = Stretch::all;
  if (submit.extent != Extent::whole && cut.is_best_effort_copy && submit.level < copies_.overtaken_from) {
    bytes = copies_.slice;
  }
  if (submit.extent == Extent::slice) {
    bytes = std::min(bytes, cut.piece);
    const std::int64_t wave = cut.blocks_per_sm * std::max<std::int64_t>(1, sm_sets_[submit.sms]);
    if (wave > 0) stretch.until.blocks = end_of(done.blocks, cut.waves * wave, cut.end.blocks);
    stretch.until.time = end_of(done.time, cut.slice, cut.end.time);
  }
  stretch.until.bytes = end_of(done.bytes, bytes, cut.end.bytes);
  stretch.is_last = stretch.until == cut.end;
  if (cut.bandwidth > 0) {  // from the start of the copy, so that roundings do not add up
    const auto time = [&](std::int64_t bytes_before) {
      return copy_time(bytes_before, cut.bandwidth).value_or(Duration::max());
    };
    stretch.done.time = time(done.bytes);
    if (!stretch.is_last) stretch.until.time = time(stretch.until.bytes);
  }
  return stretch;
}

}  // namespace tactus::sched
