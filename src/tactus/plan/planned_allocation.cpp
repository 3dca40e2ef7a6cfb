#include "tactus/plan/planned_allocation.hpp"

#include <numeric>

#include "tactus/analysis/check.hpp"
#include "tactus/analysis/registry.hpp"
#include "tactus/analysis/rtgpu_allocation.hpp"

namespace tactus::plan {

using analysis::FederatedTask;
using analysis::FederatedTasks;

namespace {

std::optional<std::int64_t> given_to(const System& system, TaskIndex task) {
  if (task >= system.virtual_sms.size() || !system.virtual_sms[task]) return std::nullopt;
  return *system.virtual_sms[task] / system.platform.gpu.virtual_sms_per_sm;
}

/// The division that an analysis found for a system which does not give all SMs.
std::vector<std::int64_t> allocation_of(const System& system, const FederatedTasks& tasks,
                                        const analysis::Result& result) {
  std::vector<std::int64_t> sms;
  for (const FederatedTask& task : tasks.tasks) {
    if (task.sms) {
      sms.push_back(*task.sms);
      continue;
    }
    sms.push_back(result.virtual_sms.at(task.task).value() / system.platform.gpu.virtual_sms_per_sm);
  }
  return sms;
}

/// Asks any analysis that searches SMs that are not given. It takes their number from the platform.
void ask(const analysis::Analysis& analysis, const System& system, const FederatedTasks& tasks,
         std::int64_t sms, PlannedAllocation& allocation) {
  System smaller = system;
  smaller.platform.gpu.sms -= static_cast<std::int32_t>(tasks.sms - sms);
  if (smaller.platform.gpu.sms < 1) return;
  const analysis::Result result = analysis::run(analysis, smaller);
  if (!result.applies()) return;
  allocation.gave_up = allocation.gave_up || result.verdict == analysis::Verdict::gave_up;
  if (result.verdict != analysis::Verdict::schedulable) return;
  allocation.sms = allocation_of(system, tasks, result);
  // Where the file gives all SMs, the analysis does not count them.
  allocation.found = allocation.used() <= sms;
  allocation.accepted_by = analysis.id;
}

void halve_by_rtgpu(const System& system, const FederatedTasks& tasks, PlannedAllocation& best,
                    const Watch& watch) {
  std::int64_t too_few = -1;
  while (best.used() - too_few > 1) {
    stop_if_asked(watch);
    watch.show(-1);
    const std::int64_t middle = too_few + (best.used() - too_few) / 2;
    const PlannedAllocation tried = allocate_sms(system, tasks, middle, AllocationTests::quick);
    if (tried.found) {
      best = tried;
    } else {
      too_few = middle;
    }
  }
}

}  // namespace

std::int64_t PlannedAllocation::used() const {
  return std::accumulate(sms.begin(), sms.end(), std::int64_t{0});
}

std::int64_t free_sms(const System& system, const FederatedTasks& tasks) {
  std::int64_t free = tasks.sms;
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    if (!uses_gpu(system.tasks[i].work)) free -= given_to(system, i).value_or(0);
  }
  return free;
}

PlannedAllocation allocate_sms(const System& system, const FederatedTasks& tasks, std::int64_t sms,
                               AllocationTests tests) {
  PlannedAllocation allocation;
  const analysis::AllocationResult search =
      analysis::search_allocation(tasks, analysis::FederatedTest::rtgpu, sms);
  allocation.effort = search.effort;
  allocation.gave_up = search.gave_up;
  if (search.allocation) {
    allocation.found = true;
    allocation.sms = search.allocation->sms;
    allocation.accepted_by = "rtgpu";
  } else if (tests == AllocationTests::all) {
    ask(*analysis::find("rtgpu-tight"), system, tasks, sms, allocation);
  }
  return allocation;
}

FewestSms find_fewest(const System& system, const FederatedTasks& tasks, PlannedAllocation found,
                      const Watch& watch) {
  FewestSms fewest{std::move(found), false};
  try {
    halve_by_rtgpu(system, tasks, fewest.allocation, watch);
    // Then the test that accepts most, for one SM less at a time, because it gives up early.
    while (!fewest.proven) {
      stop_if_asked(watch);
      watch.show(-1);
      PlannedAllocation tried =
          allocate_sms(system, tasks, fewest.allocation.used() - 1, AllocationTests::all);
      if (tried.found) {
        fewest.allocation = std::move(tried);
      } else {
        fewest.proven = !tried.gave_up;
        break;
      }
    }
  } catch (const SearchStopped&) {
    fewest.proven = false;  // stopped: the best so far
  }
  return fewest;
}

System with_allocation(const System& system, const FederatedTasks& tasks, const PlannedAllocation& allocation,
                       BestEffortSms best_effort) {
  const std::int64_t unit = system.platform.gpu.virtual_sms_per_sm;
  System complete = system;
  std::vector<std::optional<std::int64_t>>& virtual_sms = complete.virtual_sms;
  const auto give = [&](TaskIndex task, std::int64_t sms) {
    virtual_sms.resize(system.tasks.size());
    virtual_sms[task] = sms * unit;
  };
  for (std::size_t i = 0; i < tasks.tasks.size(); ++i) {
    if (tasks.tasks[i].uses_gpu) give(tasks.tasks[i].task, allocation.sms[i]);
  }
  std::vector<TaskIndex> open;
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    if (task.arrival == Arrival::best_effort && uses_gpu(task.work) && !given_to(system, i))
      open.push_back(i);
  }
  // One SM each is reserved already.
  std::int64_t left =
      best_effort == BestEffortSms::one_each ? 0 : free_sms(system, tasks) - allocation.used();
  auto takers = static_cast<std::int64_t>(open.size());
  for (const TaskIndex task : open) {
    const std::int64_t more = left / takers--;
    give(task, 1 + more);
    left -= more;
  }
  return complete;
}

std::int64_t given_sms(const System& system) {
  std::int64_t sum = 0;
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) sum += given_to(system, i).value_or(0);
  return sum;
}

}  // namespace tactus::plan
