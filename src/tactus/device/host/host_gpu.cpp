#include "tactus/device/host/host_gpu.hpp"

#include <algorithm>
#include <array>

#include "tactus/base/touch.hpp"

namespace tactus::device::host {

namespace {

/// Blocks on the SMs for which memory is reserved.
std::size_t max_resident(const Gpu& gpu) {
  constexpr std::int64_t enough = 1 << 20;
  const std::int64_t per_sm = std::min<std::int64_t>(gpu.blocks_per_sm, gpu.threads_per_sm / gpu.warp);
  return static_cast<std::size_t>(std::min(enough, std::max<std::int64_t>(per_sm, 1) * gpu.sms));
}

/// The length of the next slice of exclusive work.
Duration next_slice(const Activity& activity) {
  const std::optional<Duration>& slice = activity.plan->slice;
  if (!slice || *slice == Duration{}) return activity.time_left();
  return std::min(*slice, activity.time_left());
}

/// Whether the segment is finished, and not only this submission. A function does all of it. How long
/// exclusive work takes only the device knows.
bool has_finished_segment(const Activity& activity) {
  const SegmentPlan& plan = *activity.plan;
  const sched::Stretch& stretch = activity.request.stretch;
  if (activity.blocks_done == 0 || plan.function != nullptr) return activity.blocks_done > 0;
  if (plan.call.kind == OperationKind::exclusive) return activity.progress().time == activity.whole;
  return stretch.is_last && activity.blocks_done == stretch.blocks_of(plan.grid);
}

}  // namespace

HostGpu::HostGpu(const Setup& setup, const SegmentPlans& plans, ActivityTable& table,
                 std::span<const std::unique_ptr<Worker>> block_workers,
                 std::span<const std::unique_ptr<Worker>> copy_workers)
    : gpu_{setup.system.platform.gpu},
      table_{table},
      rules_{gpu_, setup.sm_sets, setup.dedicated_sms ? Queues::by_sm_set : Queues::by_priority},
      copy_workers_{copy_workers},
      pool_{table, block_workers, max_resident(gpu_) + setup.sm_sets.size()},
      own_streams_{setup.max_pending, own_streams_of_job(setup)} {
  has_bound_blocks_ = any_plan(plans, [](const SegmentPlan& plan) { return plan.block != nullptr; });
  const std::size_t operations = ActivityTable::capacity_for(setup);
  rules_.reserve(setup.streams + operations, operations, max_resident(gpu_));
  activity_of_.resize(operations, no_activity);
  reserve_touched(ends_, max_resident(gpu_) + static_cast<std::size_t>(gpu_.sms + gpu_.copy_engines));
  preemptible_.reserve(static_cast<std::size_t>(gpu_.sms));
  for (std::uint32_t i = 0; i < setup.streams; ++i) named_streams_.push_back(rules_.open_stream());
}

/// Receives what the rules start.
struct HostGpu::Sink {
  HostGpu& gpu;
  Time now;
  bool each_block = false;

  void copy_started(OperationIndex operation, std::int32_t engine) const {
    const std::uint32_t index = gpu.activity_of_[operation];
    const Activity& activity = gpu.table_[index];
    if (activity.plan->is_bound()) {
      ++gpu.busy_copies_;
      gpu.copy_workers_[static_cast<std::size_t>(engine)]->start({.activity = index,
                                                                  .place = engine,
                                                                  .function = activity.plan->function,
                                                                  .copy = gpu.table_.copy_work(activity),
                                                                  .facts = gpu.table_.facts(activity)});
      return;
    }
    gpu.plan_end(index, now, activity.time_left(), {.place = engine});
  }

  void block_started(OperationIndex operation, std::int64_t block, std::int32_t sm) const {
    const std::uint32_t index = gpu.activity_of_[operation];
    const Activity& activity = gpu.table_[index];
    if (activity.plan->block != nullptr) {
      gpu.pool_.run({.activity = index, .sm = sm, .block = activity.before().blocks + block});
      return;
    }
    gpu.plan_end(index, now, activity.whole, {.place = sm, .block = activity.before().blocks + block});
  }

  void blocks_started(OperationIndex operation, std::span<const Share> shares,
                      std::int64_t /*blocks*/) const {
    if (each_block) return;
    const std::uint32_t index = gpu.activity_of_[operation];
    for (const Share& share : shares) {
      gpu.plan_end(index, now, gpu.table_[index].whole, {.place = share.sm, .blocks = share.blocks});
    }
  }

  void slice_started(OperationIndex operation, std::int64_t /*slice*/) const {
    const std::uint32_t index = gpu.activity_of_[operation];
    Activity& activity = gpu.table_[index];
    if (activity.plan->function != nullptr) {
      gpu.pool_.run({.activity = index});
      return;
    }
    gpu.plan_end(index, now, next_slice(activity), {});
    activity.slice_start = now;
    if (activity.plan->preemptible_anywhere) gpu.preemptible_.push_back(operation);
  }
};

StreamIndex HostGpu::stream_for(const Request& request) {
  if (!sched::is_own(request.stream)) return named_streams_[request.stream];
  const sched::JobId job = request.id.job;
  const std::size_t place = request.stream - sched::own_stream;
  if (const OwnStream* own = own_streams_.find(job, place)) return own->index;
  const OwnStream old = own_streams_.last(job.slot, place);
  if (old.index != no_index) rules_.close_stream(old.index);
  return own_streams_.open(job, place).index = rules_.open_stream();
}

Call HostGpu::call_for(const Activity& activity) const {
  const SegmentPlan& plan = *activity.plan;
  Call call = plan.call;
  call.level = std::min(activity.request.level, static_cast<std::uint32_t>(gpu_.priority_levels - 1));
  call.sm_set = activity.request.sms;
  if (call.kind == OperationKind::kernel) {
    call.blocks = activity.request.stretch.blocks_of(call.blocks);
  } else if (plan.slice && *plan.slice > Duration{}) {
    call.blocks = std::max<std::int64_t>(1, ceil_div(in_ns(activity.time_left()), in_ns(*plan.slice)));
  }
  return call;
}

void HostGpu::submit(std::uint32_t index, Time now) {
  Activity& activity = table_[index];
  const Call call = call_for(activity);
  if (call.blocks <= 0) {  // nothing is left to do
    table_.end(index, ActivityTable::WorkEnd::finished, now);
    return;
  }
  activity.in_rules = rules_.call(stream_for(activity.request), call);
  if (activity.in_rules >= activity_of_.size()) activity_of_.resize(activity.in_rules + std::size_t{1});
  activity_of_[activity.in_rules] = index;
}

void HostGpu::request_stop(std::uint32_t index, Time now) {
  Activity& activity = table_[index];
  if (activity.stopping) return;
  activity.stopping = true;
  activity.stop->store(true, std::memory_order_relaxed);
  if (activity.plan->preemptible_anywhere && rules_.operation(activity.in_rules).in_flight > 0) {
    interrupt(index, now);
    rules_.withdraw(activity.in_rules);
    return;
  }
  withdraw_rest(index);
}

/// Nothing more of the activity starts.
void HostGpu::withdraw_rest(std::uint32_t index) {
  const OperationIndex operation = table_[index].in_rules;
  rules_.withdraw_rest(operation);
  // Blocks that still wait for a thread leave their SMs. They are the last ones assigned, so a later
  // submission can continue with them.
  pool_.drop_waiting(index,
                     [&](const Resident& resident) { vacate(operation, resident.sm, resident.block); });
}

/// A bound block or function leaves its SMs.
void HostGpu::vacate(OperationIndex operation, std::int32_t sm, std::int64_t block) {
  if (block >= 0) {
    const std::array shares{Share{sm, 1}};
    rules_.blocks_ended(operation, shares, 1);
  } else {
    rules_.slice_ended(operation);
  }
}

void HostGpu::plan_end(std::uint32_t index, Time now, Duration length, End end) {
  table_.note_start(table_[index], now);
  end.at = saturating_add(now, length);
  end.start = now;
  end.activity = index;
  ends_.push_back(end);
  std::push_heap(ends_.begin(), ends_.end(), Later{});
}

void HostGpu::end_due(Time now) {
  while (!ends_.empty() && ends_.front().at <= now) {
    std::pop_heap(ends_.begin(), ends_.end(), Later{});
    const End end = ends_.back();
    ends_.pop_back();
    end_one(end, now);
  }
}

void HostGpu::end_one(const End& end, Time now) {
  Activity& activity = table_[end.activity];
  const OperationIndex operation = activity.in_rules;
  switch (rules_.operation(operation).kind) {
    case OperationKind::copy:
      ++activity.blocks_done;
      table_.tell(Report::Kind::copy_ran, activity, end.place, end.start, now);
      rules_.copy_ended(operation);
      break;
    case OperationKind::kernel: {
      activity.blocks_done += end.blocks;
      if (end.block >= 0)
        table_.tell(Report::Kind::block_ran, activity, end.place, end.start, now, end.block);
      const std::array shares{Share{end.place, end.blocks}};
      rules_.blocks_ended(operation, shares, end.blocks);
      break;
    }
    case OperationKind::exclusive:
      std::erase(preemptible_, operation);
      tell_slice(activity, end.start, now);
      activity.time_done += end.at - end.start;
      ++activity.blocks_done;
      rules_.slice_ended(operation);
      break;
  }
}

/// Exclusive work occupies all its SMs.
void HostGpu::tell_slice(const Activity& activity, Time start, Time end) {
  if (!table_.wants(Report::Kind::block_ran)) return;
  for (const std::int32_t sm : rules_.sms_of(rules_.operation(activity.in_rules))) {
    table_.tell(Report::Kind::block_ran, activity, sm, start, end, activity.progress().blocks);
  }
}

void HostGpu::worker_ended(Worker& worker) {
  const WorkItem& item = worker.item();
  const Result& result = worker.result();
  const std::uint32_t index = item.activity;
  Activity& activity = table_[index];
  const OperationIndex operation = activity.in_rules;
  table_.note_start(activity, result.start);
  if (worker.role() == Worker::Role::copy_engine) {
    --busy_copies_;
    table_.tell(Report::Kind::copy_ran, activity, item.place, result.start, result.end);
    ++activity.blocks_done;
    if (result.copy) table_.keep_copy(activity, *result.copy);
    if (result.kind == Result::Kind::failed) table_.note_failure(activity, result.what.data());
    rules_.copy_ended(operation);
    return;
  }
  if (item.block >= 0) {
    table_.tell(Report::Kind::block_ran, activity, item.place, result.start, result.end, item.block);
  } else {
    tell_slice(activity, result.start, result.end);
  }
  ++activity.blocks_done;
  if (result.kind == Result::Kind::failed) {
    table_.note_failure(activity, result.what.data());
    withdraw_rest(index);
  }
  vacate(operation, item.place, item.block);
  pool_.take_back(worker);
}

void HostGpu::pop_finished(Time now) {
  rules_.pop_finished([&](OperationIndex operation) { conclude(activity_of_[operation], now); });
}

/// The activity has left its stream.
void HostGpu::conclude(std::uint32_t index, Time now) {
  using WorkEnd = ActivityTable::WorkEnd;
  const Activity& activity = table_[index];
  if (activity.failed) {
    table_.end(index, WorkEnd::failed, now);
  } else {
    table_.end(index, has_finished_segment(activity) ? WorkEnd::finished : WorkEnd::stopped, now);
  }
}

void HostGpu::dispatch(Time now) {
  if (closed_) return;
  rules_.preempt(preemptible_, [&](OperationIndex operation) { interrupt(activity_of_[operation], now); });
  const bool each_block = has_bound_blocks_ || table_.wants(Report::Kind::block_ran);
  rules_.dispatch(Sink{*this, now, each_block}, each_block);
}

void HostGpu::interrupt(std::uint32_t index, Time now) {
  Activity& activity = table_[index];
  std::erase(preemptible_, activity.in_rules);
  std::erase_if(ends_, [&](const End& end) { return end.activity == index; });
  std::make_heap(ends_.begin(), ends_.end(), Later{});
  if (now > activity.slice_start) {
    tell_slice(activity, activity.slice_start, now);
    activity.time_done += now - activity.slice_start;
    ++activity.blocks_done;
  } else if (activity.blocks_done == 0) {
    activity.start = never;  // it has not run at all
  }
}

void HostGpu::close(Time now) {
  closed_ = true;
  pool_.close();
  for (const End& end : ends_) {
    Activity& activity = table_[end.activity];
    const Time until = std::max(end.start, std::min(end.at, now));
    const OperationKind kind = rules_.operation(activity.in_rules).kind;
    if (kind == OperationKind::copy)
      table_.tell(Report::Kind::copy_ran, activity, end.place, end.start, until);
    if (kind == OperationKind::exclusive) tell_slice(activity, end.start, until);
    if (kind == OperationKind::kernel && end.block >= 0) {
      table_.tell(Report::Kind::block_ran, activity, end.place, end.start, until, end.block);
    }
  }
  ends_.clear();
}

}  // namespace tactus::device::host
