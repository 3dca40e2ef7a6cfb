// The facts of a segment that are the same for every job on every device that implements the block rules: its
// server, the call, and the execution time.
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
  Interval time;                      // of a block, of the copy, or of the whole segment
  std::optional<Duration> slice;      // exclusive: longest_block, if shorter than the segment
  bool preemptible_anywhere = false;  // exclusive
  bool starts_at_once = false;        // all of it starts on an idle GPU and does not affect later placement
  CopyChunks pieces;                  // of a copy that is submitted in chunks
};

/// For each segment of a task. A `gpu` segment without virtual SMs gets no time; such systems are refused
/// elsewhere.
std::vector<SegmentFacts> make_segment_facts(const System& system, TaskIndex task);

/// By task and segment.
std::vector<std::vector<SegmentFacts>> make_segment_facts(const System& system);

}  // namespace tactus::device
