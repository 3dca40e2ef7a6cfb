// The worker threads of the host device: their number, and what they cannot guarantee.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tactus/device/device.hpp"
#include "tactus/device/host/host_device.hpp"
#include "tactus/device/host/segment_plan.hpp"
#include "tactus/device/host/worker.hpp"

namespace tactus::device::host {

struct WorkerPlan {
  std::size_t block_workers = 0;         // for blocks and functions on SMs
  std::size_t copy_workers = 0;          // one for each engine, where a copy is bound
  std::vector<std::size_t> cpu_workers;  // by CPU lane
  bool under_fifo = false;
  bool waits_busily = false;  // no thread sleeps, so none has to be woken
  std::vector<int> cpus;      // CPUs of this machine that may be used
  std::vector<std::string> not_enforced;
};

/// Whether the operating system preempts by priority (SCHED_FIFO).
bool takes_real_time_class(const HostOptions& options);

/// InputError when the system needs more threads than are allowed.
WorkerPlan plan_workers(const Setup& setup, const HostOptions& options, const SegmentPlans& plans);

using Workers = std::vector<std::unique_ptr<Worker>>;

struct WorkerThreads {
  WorkerThreads(const Setup& setup, const HostOptions& options, const WorkerPlan& plan,
                const std::shared_ptr<const FunctionContext>& context, DoneList& done);

  template <class Visit>
  void for_each(Visit&& visit) {
    const auto visit_all = [&](Workers& workers) {
      for (std::unique_ptr<Worker>& worker : workers) visit(*worker);
    };
    visit_all(blocks);
    visit_all(copies);
    for (Workers& workers : cpus) visit_all(workers);
  }

  Workers blocks;
  Workers copies;
  std::vector<Workers> cpus;  // by CPU lane
};

}  // namespace tactus::device::host
