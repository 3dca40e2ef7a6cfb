#include "tactus/device/cuda/lane_streams.hpp"

#include <algorithm>

#include "tactus/base/error.hpp"
#include "tactus/base/exact.hpp"
#include "tactus/device/cuda/query.hpp"

namespace tactus::cuda {

namespace {

/// Where every SM set is dedicated to a task, the jobs of a set run one after the other.
constexpr std::size_t own_streams_of_dedicated_sms = 4;

}  // namespace

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
                              const PartitionGranularity& device, SmSetsBy by, int parts_per_sm) {
  const auto all = static_cast<int>(ceil_div(std::ssize(sm_sets.front()), parts_per_sm));
  if (all > device.sms) {
    throw InputError{"the system has a GPU of " + std::to_string(all) + " SMs, but the device has only " +
                         std::to_string(device.sms),
                     "set platform.gpu.sms to at most " + std::to_string(device.sms * parts_per_sm)};
  }
  PartitionPlan plan{.sizes = {}, .parts_per_sm = parts_per_sm};
  for (const sched::SmSetId set : lanes.sm_sets) plan.sizes.push_back(static_cast<int>(sm_sets[set].size()));
  const auto fits = [&](int size) { return size % device.group == 0; };
  const bool fit = device.group > 0 && parts_per_sm == 1 && std::ranges::all_of(plan.sizes, fits);
  plan.pins = !plan.sizes.empty() && (by == SmSetsBy::pinning || !fit);
  if (plan.pins) plan.sizes.clear();
  // A device may have SMs that are in no group.
  const bool surrounds = device.group > 0 && (!plan.pins || all <= device.group * device.groups);
  if (surrounds && all < device.sms) plan.around = all;
  return plan;
}

SmPlace pinned_place(std::span<const std::int32_t> sms, std::span<const unsigned> ids, int parts_per_sm) {
  SmPlace place{.launch_sms = static_cast<int>(ids.size()),
                .ids = {},
                .parts_per_sm = static_cast<unsigned>(parts_per_sm)};
  for (const std::int32_t sm : sms) place.ids.insert(ids[static_cast<std::size_t>(sm / parts_per_sm)]);
  place.sms = place.ids.size();
  place.is_pinned = parts_per_sm > 1 || place.sms < place.launch_sms;
  const auto before = static_cast<unsigned>(sms.front() % parts_per_sm);
  place.parts = {.first = std::min(place.parts_per_sm - before, static_cast<unsigned>(sms.size())),
                 .between = place.parts_per_sm,
                 .last = static_cast<unsigned>(sms.back() % parts_per_sm) + 1};
  return place;
}

LaneStreams::LaneStreams(const device::Setup& setup, const Settings& settings)
    : plan_{plan_lanes(setup.lanes)} {
  const int device_sms =
      device_attribute(settings.device, cudaDevAttrMultiProcessorCount, "cannot count the SMs");
  granularity_ = has_partitions(settings.device)
                     ? partition_granularity(settings.device, settings.coscheduling)
                     : PartitionGranularity{.sms = device_sms};
  partition_plan_ = plan_partitions(plan_, setup.sm_sets, granularity_, settings.sm_sets_by,
                                    setup.system.platform.gpu.parts_per_sm);
  partition_of_set_.assign(setup.sm_sets.size(), -1);
  places_.assign(setup.sm_sets.size(), {.sms = device_sms, .launch_sms = device_sms});
  make_partitions(settings);
  if (partition_plan_.pins) pin(setup);
  note_rounding(setup);
  if (setup.system.policy.strategy->sms == SmSharing::owned) {
    for (std::size_t set = 1; set < places_.size(); ++set) {
      places_[set].virtual_sms = static_cast<unsigned>(setup.system.platform.gpu.virtual_sms_per_sm);
    }
  }
  const PriorityRange range = stream_priorities();
  const std::size_t own = std::max<std::size_t>(
      1, setup.dedicated_sms ? std::min(own_streams_of_dedicated_sms, settings.own_streams)
                             : settings.own_streams);
  shares_pools_ = setup.system.policy.strategy->times_nodes;
  for (const sched::Lane& lane : plan_.lanes) {
    const bool is_own = sched::is_own(lane.stream);
    LanePool& of_lane = lane_pools_.emplace_back();
    if (is_own) of_lane.place = static_cast<std::uint32_t>(own_lanes_.size());
    if (is_own) own_lanes_.push_back(lane_pools_.size() - 1);
    if (is_own && shares_pools_) {
      if (const std::optional<std::uint32_t> known = pool_shared_by(lane)) {
        of_lane.pool = *known;
        continue;
      }
    }
    of_lane.pool = static_cast<std::uint32_t>(pools_.size());
    Pool pool;
    pool.first = static_cast<std::uint32_t>(streams_.size());
    if (is_own) pool.count = static_cast<std::uint32_t>(own);
    for (std::uint32_t i = 0; i < pool.count; ++i) {
      pool.free.push_back(pool.first + pool.count - 1 - i);  // so that the first is taken first
      streams_.push_back(make_stream_in(lane.sms, stream_priority(lane.level, plan_.max_level, range)));
    }
    pools_.push_back(std::move(pool));
  }
  owned_ = sched::JobMap<Owned>{setup.max_pending, std::max<std::size_t>(1, own_lanes_.size())};
}

std::optional<std::uint32_t> LaneStreams::pool_shared_by(const sched::Lane& lane) const {
  for (std::size_t before = 0; before + 1 < lane_pools_.size(); ++before) {
    const sched::Lane& other = plan_.lanes[before];
    if (sched::is_own(other.stream) && other.level == lane.level && other.sms == lane.sms) {
      return lane_pools_[before].pool;
    }
  }
  return std::nullopt;
}

void LaneStreams::make_partitions(const Settings& settings) {
  const PartitionPlan& plan = partition_plan_;
  if (plan.sizes.empty() && plan.around == 0) return;
  partitions_.emplace(settings.device, plan.sizes, settings.coscheduling, plan.around);
  const auto around = static_cast<int>(plan.sizes.size());
  if (plan.pins) partition_of_set_.assign(places_.size(), around);
  for (std::size_t i = 0; i < plan.sizes.size(); ++i)
    partition_of_set_[plan_.sm_sets[i]] = static_cast<int>(i);
  if (plan.around > 0) partition_of_set_[0] = around;
  for (sched::SmSetId set = 0; set < places_.size(); ++set) {
    const Partition* partition = partition_of(set);
    if (partition == nullptr) continue;
    places_[set].sms = places_[set].launch_sms = partition->sms();
    places_[set].ids = partition->ids();
  }
}

/// The SMs of the model are the first of the device, or of the partition around them, ordered by id.
void LaneStreams::pin(const device::Setup& setup) {
  const Partition* around = partition_of(0);
  const SmSet all =
      around == nullptr ? find_sm_ids(make_stream().get(), places_[0].launch_sms) : around->ids();
  const std::vector<unsigned> ids = all.ids();
  for (sched::SmSetId set = 0; set < places_.size(); ++set) {
    places_[set] = pinned_place(setup.sm_sets[set], ids, partition_plan_.parts_per_sm);
  }
}

std::string LaneStreams::way_to_partitions() const {
  if (granularity_.group == 0) return "the device has no partitions";
  if (partition_plan_.parts_per_sm > 1) return "parts of SMs (platform.gpu.parts_per_sm) are no partitions";
  return "only loops keep kernels on their SMs here: give every task a multiple of " +
         std::to_string(granularity_.group) + " SMs, so that each has a partition";
}

void LaneStreams::note_rounding(const device::Setup& setup) {
  for (sched::SmSetId set = 0; set < places_.size(); ++set) {
    const bool in_use = set == 0 || std::binary_search(plan_.sm_sets.begin(), plan_.sm_sets.end(), set);
    const auto wanted = static_cast<int>(setup.sm_sets[set].size());
    if (!in_use || places_[set].is_pinned || places_[set].sms == wanted) continue;
    rounded_.push_back((set == 0 ? std::string{"all SMs"} : "SM set " + std::to_string(set)) + ": " +
                       std::to_string(wanted) + " SMs are asked for, the device gives " +
                       std::to_string(places_[set].sms));
  }
}

const Partition* LaneStreams::partition_of(sched::SmSetId set) const {
  const int index = partition_of_set_[set];
  return index < 0 ? nullptr : &(*partitions_)[static_cast<std::size_t>(index)];
}

Stream LaneStreams::make_stream_in(sched::SmSetId set, int priority) const {
  const Partition* partition = partition_of(set);
  return partition == nullptr ? make_stream(priority) : partition->make_stream(priority);
}

cudaStream_t LaneStreams::first_on(sched::SmSetId set) const {
  for (std::size_t lane = 0; lane < plan_.lanes.size(); ++lane) {
    if (plan_.lanes[lane].sms == set) return streams_[pools_[lane_pools_[lane].pool].first].get();
  }
  return nullptr;
}

std::uint32_t LaneStreams::find(const device::Request& request) {
  const std::size_t lane = lane_of(request);
  if (lane == LanePlan::none) return no_stream;
  if (sched::is_own(request.stream)) return own_stream_of(request.id.job, lane_pools_[lane]);
  return pools_[lane_pools_[lane].pool].first;
}

std::size_t LaneStreams::lane_of(const device::Request& request) const {
  return plan_.find({.stream = request.stream, .level = request.level, .sms = request.sms});
}

std::uint32_t LaneStreams::own_stream_of(sched::JobId job, const LanePool& lane) {
  if (job.slot >= owned_.jobs()) return no_stream;
  Pool& pool = pools_[lane.pool];
  Owned& owned = owned_.open(job, lane.place);
  if (owned.stream != no_stream) return owned.stream;
  owned = {};
  if (!pool.free.empty()) {
    owned.stream = pool.free.back();
    pool.free.pop_back();
  } else {
    owned.shared = true;
    owned.stream = pool.first + pool.next;
    pool.next = (pool.next + 1) % pool.count;
    ++times_shared_;
  }
  return owned.stream;
}

void LaneStreams::give_back(sched::JobId job, const LanePool& lane) {
  Owned* owned = owned_.find(job, lane.place);
  if (owned == nullptr || owned->stream == no_stream) return;
  if (!owned->shared) pools_[lane.pool].free.push_back(owned->stream);
  owned->stream = no_stream;
}

void LaneStreams::submission_over(const device::Request& request) {
  if (!shares_pools_ || !sched::is_own(request.stream)) return;
  if (const std::size_t lane = lane_of(request); lane != LanePlan::none) {
    give_back(request.id.job, lane_pools_[lane]);
  }
}

void LaneStreams::job_over(sched::JobId job) {
  for (const std::size_t lane : own_lanes_) give_back(job, lane_pools_[lane]);
}

std::vector<std::string> LaneStreams::not_enforced() const {
  std::vector<std::string> all = rounded_;
  if (times_shared_ > 0) {
    all.push_back("a stream for each job: " + std::to_string(times_shared_) +
                  (times_shared_ == 1 ? " job" : " jobs") + " shared one with another");
  }
  return all;
}

}  // namespace tactus::cuda
