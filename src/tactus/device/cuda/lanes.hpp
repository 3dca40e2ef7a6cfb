// Which streams and partitions the lanes of a strategy need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tactus/device/cuda/stream.hpp"
#include "tactus/sched/strategy.hpp"

namespace tactus::cuda {

/// The priority of a lane's stream. The least urgent level has CUDA's least urgent priority; levels that the
/// device cannot tell apart share its most urgent one.
int stream_priority(std::uint32_t level, std::uint32_t max_level, PriorityRange range);

/// Lanes in order, each once, and what they have in common.
struct LanePlan {
  std::vector<sched::Lane> lanes;
  std::uint32_t max_level = 0;
  std::vector<sched::SmSetId> sm_sets;  // in use, besides all SMs; in order

  /// Index into `lanes`; `none` for one that was not announced.
  [[nodiscard]] std::size_t find(const sched::Lane& lane) const;
  static constexpr std::size_t none = ~std::size_t{0};
};
LanePlan plan_lanes(std::span<const sched::Lane> lanes);

/// Which parts of the device the SM sets are.
struct PartitionPlan {
  std::vector<int> sizes;  // of the sets in use besides all SMs, in their order
  int around = 0;          // SMs of a part that holds all of them; 0: all SMs are those of the device
};
/// InputError when the model's GPU has more SMs than the device.
PartitionPlan plan_partitions(const LanePlan& lanes, std::span<const std::vector<std::int32_t>> sm_sets,
                              int device_sms);

}  // namespace tactus::cuda
