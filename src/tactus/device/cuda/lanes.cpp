#include "tactus/device/cuda/lanes.hpp"

#include <algorithm>
#include <string>

#include "tactus/base/error.hpp"

namespace tactus::cuda {

int stream_priority(std::uint32_t level, std::uint32_t max_level, PriorityRange range) {
  const std::int64_t above = level >= max_level ? 0 : std::int64_t{max_level} - level;
  const std::int64_t levels = std::int64_t{range.least_urgent} - range.most_urgent;
  return static_cast<int>(range.least_urgent - std::min(above, std::max<std::int64_t>(0, levels)));
}

std::size_t LanePlan::find(const sched::Lane& lane) const {
  const auto place = std::lower_bound(lanes.begin(), lanes.end(), lane);
  return place != lanes.end() && *place == lane ? static_cast<std::size_t>(place - lanes.begin()) : none;
}

LanePlan plan_lanes(std::span<const sched::Lane> lanes) {
  LanePlan plan;
  plan.lanes.assign(lanes.begin(), lanes.end());
  std::sort(plan.lanes.begin(), plan.lanes.end());
  plan.lanes.erase(std::unique(plan.lanes.begin(), plan.lanes.end()), plan.lanes.end());
  for (const sched::Lane& lane : plan.lanes) {
    plan.max_level = std::max(plan.max_level, lane.level);
    if (lane.sms != 0) plan.sm_sets.push_back(lane.sms);
  }
  std::sort(plan.sm_sets.begin(), plan.sm_sets.end());
  plan.sm_sets.erase(std::unique(plan.sm_sets.begin(), plan.sm_sets.end()), plan.sm_sets.end());
  return plan;
}

PartitionPlan plan_partitions(const LanePlan& lanes, std::span<const std::vector<std::int32_t>> sm_sets,
                              int device_sms) {
  const auto all = static_cast<int>(sm_sets.front().size());
  if (all > device_sms) {
    throw InputError{"the system has a GPU of " + std::to_string(all) + " SMs, but the device has only " +
                         std::to_string(device_sms),
                     "set platform.gpu.sms to at most " + std::to_string(device_sms)};
  }
  PartitionPlan plan;
  for (const sched::SmSetId set : lanes.sm_sets) plan.sizes.push_back(static_cast<int>(sm_sets[set].size()));
  if (all < device_sms) plan.around = all;
  return plan;
}

}  // namespace tactus::cuda
