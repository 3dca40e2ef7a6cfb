// What is the same for every job of a segment on every device that keeps the block rules: who serves it, what
// the GPU is asked to do, and how long it takes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tactus/device/rules/block_rules.hpp"
#include "tactus/model/system.hpp"

namespace tactus::device {

struct SegmentFacts {
  ServerKind server = ServerKind::gpu;
  Call call;                          // of copies and GPU work
  Interval time;                      // of a block, the copy, or all of it
  std::optional<Duration> slice;      // exclusive: longest_block, unless all of it
  bool preemptible_anywhere = false;  // exclusive
  bool starts_at_once = false;        // all of it, on an idle GPU and without a trace left for later work
  CopyChunks pieces;                  // of a copy that is submitted piece by piece
};

/// For each segment of a task. A `gpu` segment without virtual SMs takes no time: that is refused elsewhere.
std::vector<SegmentFacts> make_segment_facts(const System& system, TaskIndex task);

/// By task and segment.
std::vector<std::vector<SegmentFacts>> make_segment_facts(const System& system);

}  // namespace tactus::device
