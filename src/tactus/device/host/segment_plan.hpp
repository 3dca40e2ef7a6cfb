// The facts of a segment that are the same for every job: its server, how it is cut, and what is called.
#pragma once

#include <cstdint>
#include <vector>

#include "tactus/device/device.hpp"
#include "tactus/device/segment_facts.hpp"

namespace tactus::device::host {

/// A bound function occupies its SMs as a whole and is not cut.
struct SegmentPlan : SegmentFacts {
  std::int64_t grid = 1;                // number of blocks
  const WorkOfJob* function = nullptr;  // called once
  const WorkOfJob* block = nullptr;     // called for each block
  const CopyOfJob* copy = nullptr;      // returns the buffers
  [[nodiscard]] bool is_bound() const { return function != nullptr || block != nullptr || copy != nullptr; }
};

/// By task and segment.
using SegmentPlans = std::vector<std::vector<SegmentPlan>>;

/// InputError with everything that the host device cannot run. The bindings must outlive the plans.
SegmentPlans make_segment_plans(const System& system, const Bindings* bindings);

/// The largest number of bound blocks on one SM at once; 0 when no kernel is bound block by block.
std::int64_t max_bound_blocks_per_sm(const SegmentPlans& plans, const Gpu& gpu);

}  // namespace tactus::device::host
