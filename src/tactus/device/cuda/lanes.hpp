// The streams and partitions that the lanes of a strategy need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tactus/device/cuda/stream.hpp"
#include "tactus/sched/strategy.hpp"

namespace tactus::cuda {

/// The priority of a lane's stream. The least urgent level gets CUDA's lowest priority; levels beyond the
/// range of the device share the highest.
int stream_priority(std::uint32_t level, std::uint32_t max_level, PriorityRange range);

/// The distinct lanes in order, and their common properties.
struct LanePlan {
  std::vector<sched::Lane> lanes;
  std::uint32_t max_level = 0;
  std::vector<sched::SmSetId> sm_sets;  // those in use other than all SMs, in order

  /// Index into `lanes`; `none` if it was not announced.
  [[nodiscard]] std::size_t find(const sched::Lane& lane) const;
  static constexpr std::size_t none = ~std::size_t{0};
};
LanePlan plan_lanes(std::span<const sched::Lane> lanes);

/// The partitions for the SM sets.
struct PartitionPlan {
  std::vector<int> sizes;  // of the sets in use other than all SMs, in order
  int around = 0;          // SMs of a partition that contains them all; 0: all SMs of the device
};
/// InputError when the GPU of the model has more SMs than the device.
PartitionPlan plan_partitions(const LanePlan& lanes, std::span<const std::vector<std::int32_t>> sm_sets,
                              int device_sms);

}  // namespace tactus::cuda
