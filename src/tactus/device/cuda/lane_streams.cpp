#include "tactus/device/cuda/lane_streams.hpp"

#include <algorithm>

#include "tactus/base/error.hpp"

namespace tactus::cuda {

namespace {

/// Where every SM set has its work to itself, jobs of a set come one after the other.
constexpr std::size_t own_streams_of_dedicated_sms = 4;

}  // namespace

LaneStreams::LaneStreams(const device::Setup& setup, const Settings& settings)
    : plan_{plan_lanes(setup.lanes)} {
  make_partitions(setup, settings);
  const PriorityRange range = stream_priorities();
  const std::size_t own = std::max<std::size_t>(
      1, setup.dedicated_sms ? std::min(own_streams_of_dedicated_sms, settings.own_streams)
                             : settings.own_streams);
  for (const sched::Lane& lane : plan_.lanes) {
    Pool pool;
    pool.first = static_cast<std::uint32_t>(streams_.size());
    if (lane.stream == sched::own_stream) {
      pool.count = static_cast<std::uint32_t>(own);
      pool.place = static_cast<std::uint32_t>(own_pools_.size());
      own_pools_.push_back(pools_.size());
    }
    for (std::uint32_t i = 0; i < pool.count; ++i) {
      pool.free.push_back(pool.first + pool.count - 1 - i);  // the first is taken first
      streams_.push_back(make_stream_in(lane.sms, stream_priority(lane.rank, plan_.largest_rank, range)));
    }
    pools_.push_back(std::move(pool));
  }
  owned_.resize(std::size_t{setup.most_pending} * own_pools_.size());
}

void LaneStreams::make_partitions(const device::Setup& setup, const Settings& settings) {
  const int device_sms = partition_granularity(settings.device, settings.coscheduling).sms;
  const PartitionPlan plan = plan_partitions(plan_, setup.sm_sets, device_sms);
  partition_of_set_.assign(setup.sm_sets.size(), -1);
  sms_.assign(setup.sm_sets.size(), 0);
  sms_[0] = device_sms;
  if (!plan.sizes.empty() || plan.around > 0) {
    partitions_.emplace(settings.device, plan.sizes, settings.coscheduling, plan.around);
  }
  for (std::size_t i = 0; i < plan.sizes.size(); ++i)
    partition_of_set_[plan_.sm_sets[i]] = static_cast<int>(i);
  if (plan.around > 0) partition_of_set_[0] = static_cast<int>(plan.sizes.size());
  for (sched::SmSetId set = 0; set < sms_.size(); ++set) {
    const Partition* partition = partition_of(set);
    if (partition == nullptr) continue;
    sms_[set] = partition->sms();
    const auto wanted = static_cast<int>(setup.sm_sets[set].size());
    if (sms_[set] == wanted) continue;
    rounded_.push_back((set == 0 ? std::string{"all SMs"} : "SM set " + std::to_string(set)) + ": " +
                       std::to_string(wanted) + " SMs are asked for, the device gives " +
                       std::to_string(sms_[set]));
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

std::uint32_t LaneStreams::find(const device::Request& request) {
  const std::size_t lane = plan_.find({.stream = request.stream, .rank = request.rank, .sms = request.sms});
  if (lane == LanePlan::none) return no_stream;
  Pool& pool = pools_[lane];
  return request.stream == sched::own_stream ? own_stream_of(request.operation.job, pool) : pool.first;
}

std::uint32_t LaneStreams::own_stream_of(sched::JobId job, Pool& pool) {
  const std::size_t place = std::size_t{job.slot} * own_pools_.size() + pool.place;
  if (place >= owned_.size()) return no_stream;
  Owned& owned = owned_[place];
  if (owned.generation == job.generation && owned.stream != no_stream) return owned.stream;
  owned = {.generation = job.generation};
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

void LaneStreams::job_over(sched::JobId job) {
  for (const std::size_t lane : own_pools_) {
    Pool& pool = pools_[lane];
    const std::size_t place = std::size_t{job.slot} * own_pools_.size() + pool.place;
    if (place >= owned_.size()) continue;
    Owned& owned = owned_[place];
    if (owned.generation != job.generation || owned.stream == no_stream) continue;
    if (!owned.shared) pool.free.push_back(owned.stream);
    owned.stream = no_stream;
  }
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
