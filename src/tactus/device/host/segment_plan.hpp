// What is the same for every job of a segment: who serves it, how it is cut, and what is called.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tactus/device/device.hpp"
#include "tactus/device/segment_facts.hpp"

namespace tactus::device::host {

/// A bound function occupies its SMs whole and is not cut.
struct SegmentPlan : SegmentFacts {
  std::int64_t grid = 1;  // blocks of the segment
  std::int32_t core = 0;
  const WorkOfJob* function = nullptr;  // called once, or
  const WorkOfJob* block = nullptr;     // called for each block, or
  const CopyOfJob* copy = nullptr;      // asked what is to be moved
  std::optional<std::int64_t> bytes;    // of a copy, where the system says
  [[nodiscard]] bool is_bound() const { return function != nullptr || block != nullptr || copy != nullptr; }
};

/// By task and segment.
using SegmentPlans = std::vector<std::vector<SegmentPlan>>;

/// InputError tells everything that the host device cannot run. The bindings outlive the plans.
SegmentPlans make_segment_plans(const System& system, const Bindings* bindings);

template <class Visit>
void for_each_plan(const SegmentPlans& plans, Visit&& visit) {
  for (const std::vector<SegmentPlan>& task : plans) {
    for (const SegmentPlan& plan : task) visit(plan);
  }
}

/// How many blocks of bound kernels one SM may hold at once; 0 when no kernel has its blocks bound.
std::int64_t max_bound_blocks_per_sm(const SegmentPlans& plans, const Gpu& gpu);

}  // namespace tactus::device::host
