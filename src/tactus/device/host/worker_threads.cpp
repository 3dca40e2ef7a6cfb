#include "tactus/device/host/worker_threads.hpp"

#include <algorithm>
#include <string>

#include "tactus/base/error.hpp"
#include "tactus/base/threads.hpp"
#include "tactus/device/host/host_cpus.hpp"

namespace tactus::device::host {

namespace {

/// The largest number of bound blocks on the SMs that the device supports.
constexpr std::int64_t max_resident_blocks = 1 << 20;

/// Functions and blocks that may be on the SMs at once.
std::int64_t needed_block_workers(const Setup& setup, const SegmentPlans& plans) {
  const Gpu& gpu = setup.system.platform.gpu;
  if (const std::int64_t per_sm = max_bound_blocks_per_sm(plans, gpu); per_sm > 0) return per_sm * gpu.sms;
  const bool has_function = any_plan(plans, [](const SegmentPlan& plan) {
    return plan.server == ServerKind::gpu && plan.function != nullptr;
  });
  // A function occupies its whole SM set.
  return has_function ? static_cast<std::int64_t>(setup.sm_sets.size()) : 0;
}

bool has_bound(const SegmentPlans& plans, ServerKind server) {
  return any_plan(plans, [&](const SegmentPlan& plan) { return plan.server == server && plan.is_bound(); });
}

std::string cpus_text(const WorkerPlan& plan) {
  return std::to_string(plan.cpus.size()) + (plan.cpus.size() == 1 ? " CPU" : " CPUs");
}

/// Of submissions to cores; with more, they are started only when they are among the most urgent.
constexpr std::size_t most_started_at_once = 64;

/// Under SCHED_FIFO every submission that was started needs a thread that the operating system can preempt.
/// Otherwise only those that run at once do.
std::size_t workers_for(const sched::CpuLane& lane, bool under_fifo) {
  const auto cores = static_cast<std::size_t>(lane.cores.count);
  const std::size_t most = under_fifo ? std::max(most_started_at_once, 2 * cores) : cores;
  return std::min(std::size_t{lane.width}, most);
}

void note_block_limits(WorkerPlan& plan, std::int64_t needed) {
  if (needed > static_cast<std::int64_t>(plan.block_workers)) {
    plan.not_enforced.push_back("blocks on the SMs: up to " + std::to_string(needed) +
                                " are there at once, but share " + std::to_string(plan.block_workers) +
                                " threads");
  }
  if (needed > static_cast<std::int64_t>(plan.cpus.size())) {
    plan.not_enforced.push_back("SMs run side by side: bound GPU work shares " + cpus_text(plan) +
                                " of this machine");
  }
}

void note_cpu_limits(WorkerPlan& plan, const Setup& setup, const SegmentPlans& plans) {
  std::int32_t last_core = -1;
  std::uint32_t widest = 0;
  for (const sched::CpuLane& lane : setup.cpu_lanes) {
    last_core = std::max(last_core, lane.cores.first + lane.cores.count - 1);
    widest = std::max(widest, lane.width);
  }
  if (last_core < 0) return;
  if (!plan.under_fifo) {
    plan.not_enforced.push_back(
        std::string{"preemptive CPU priorities: SCHED_FIFO is not permitted or not wanted; CPU segments "
                    "without a function check at intervals whether more urgent work waits"} +
        (has_bound(plans, ServerKind::cpu) ? ", bound functions run to their end" : ""));
  } else if (widest > static_cast<std::uint32_t>(max_cpu_priority)) {
    plan.not_enforced.emplace_back(
        "preemptive CPU priorities: a core has more tasks than there are SCHED_FIFO priorities");
  }
  if (static_cast<std::size_t>(last_core) >= plan.cpus.size()) {
    plan.not_enforced.push_back("CPU cores: those of the system share " + cpus_text(plan) +
                                " of this machine");
  }
}

/// Whether the threads of the device may poll instead of sleeping: each of them and the engine's thread then
/// needs a CPU of its own, and one CPU must be left for the rest of the machine.
bool can_wait_busily(WorkerPlan& plan, const Setup& setup, std::size_t threads, const HostOptions& options) {
  if (options.spin < always_spins) return false;
  const std::string what = "threads that never sleep: ";
  if (plan.under_fifo) {
    plan.not_enforced.push_back(
        what + "the device's threads sleep when idle; under SCHED_FIFO they would take the CPUs from others");
    return false;
  }
  const std::size_t all = threads + (setup.engine_has_core ? 0 : 1);
  if (all < plan.cpus.size()) return true;
  plan.not_enforced.push_back(what + "the device's threads sleep when idle; there are " +
                              std::to_string(all) + " threads on " + cpus_text(plan));
  return false;
}

void stay_on_cores(const Cores& cores, const std::vector<int>& cpus, Worker& worker) {
  std::vector<int> chosen;
  for (std::int32_t core = cores.first; core < cores.first + cores.count; ++core) {
    chosen.push_back(cpus[static_cast<std::size_t>(core) % cpus.size()]);
  }
  allow_cpus(chosen, worker.handle());
}

}  // namespace

bool takes_real_time_class(const HostOptions& options) {
  return options.real_time && may_take_real_time_class(front_end_priority);
}

WorkerPlan plan_workers(const Setup& setup, const HostOptions& options, const SegmentPlans& plans) {
  WorkerPlan plan;
  plan.cpus = available_cpus();
  plan.under_fifo = takes_real_time_class(options);
  std::size_t cpu_workers = 0;
  for (const sched::CpuLane& lane : setup.cpu_lanes) {
    cpu_workers += plan.cpu_workers.emplace_back(workers_for(lane, plan.under_fifo));
  }
  if (has_bound(plans, ServerKind::copy)) {
    plan.copy_workers = static_cast<std::size_t>(setup.system.platform.gpu.copy_engines);
  }
  const std::int64_t needed = needed_block_workers(setup, plans);
  const std::size_t others = 1 + plan.copy_workers + cpu_workers;
  if (others + (needed > 0 ? 1 : 0) > options.max_threads) {
    throw InputError{"the host device needs " + std::to_string(others) +
                         " threads beside those of blocks, but may have no more than " +
                         std::to_string(options.max_threads) + " in all",
                     "use fewer CPU cores or tasks with `cpu` segments, or allow more threads"};
  }
  if (needed > max_resident_blocks) {
    throw InputError{"the host device cannot have " + std::to_string(needed) + " bound blocks on SMs at once",
                     "use a platform with fewer SMs or blocks_per_sm"};
  }
  plan.block_workers =
      std::min(static_cast<std::size_t>(needed), static_cast<std::size_t>(options.max_threads) - others);
  plan.waits_busily = can_wait_busily(plan, setup, others + plan.block_workers, options);
  note_block_limits(plan, needed);
  note_cpu_limits(plan, setup, plans);
  return plan;
}

WorkerThreads::WorkerThreads(const Setup& setup, const HostOptions& options, const WorkerPlan& plan,
                             const std::shared_ptr<const FunctionContext>& context, DoneList& done) {
  const auto make = [&](Worker::Role role, std::size_t index) {
    return std::make_unique<Worker>(
        Worker::Manner{role, static_cast<std::uint32_t>(index), options.yield_interval, plan.waits_busily},
        context, done);
  };
  for (std::size_t i = 0; i < plan.block_workers; ++i) blocks.push_back(make(Worker::Role::blocks, i));
  for (std::size_t i = 0; i < plan.copy_workers; ++i) copies.push_back(make(Worker::Role::copy_engine, i));
  for (std::size_t lane = 0; lane < plan.cpu_workers.size(); ++lane) {
    Workers& workers = cpus.emplace_back();
    for (std::size_t i = 0; i < plan.cpu_workers[lane]; ++i) {
      workers.push_back(make(Worker::Role::cpu, i));
      if (plan.under_fifo) stay_on_cores(setup.cpu_lanes[lane].cores, plan.cpus, *workers.back());
    }
  }
}

}  // namespace tactus::device::host
