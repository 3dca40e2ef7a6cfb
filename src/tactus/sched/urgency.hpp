// The order of jobs under EDF and under fixed priorities.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/model/system.hpp"
#include "tactus/sched/job_table.hpp"

namespace tactus::sched {

/// Smaller is more urgent. Compared field by field.
struct Urgency {
  bool best_effort = false;
  Time deadline{};           // equal for all jobs under fixed priorities
  bool waiting = false;      // EDF: on equal deadlines a job that was already submitted goes first
  std::uint32_t rank = 0;    // of the task, a strict order
  std::uint64_t number = 0;  // of the job
  bool holds = false;        // it only keeps a core for the job, whose CPU work goes first
  friend auto operator<=>(const Urgency&, const Urgency&) = default;
};

/// One of the orders, over all jobs of a system.
class JobOrder {
 public:
  /// The order in which the policy shares the GPU.
  explicit JobOrder(const System& system)
      : JobOrder{system, system.policy.order, gpu_urgency_order(system)} {}
  /// That of cores or copies.
  JobOrder(const System& system, Order order) : JobOrder{system, order, urgency_order(system)} {}

  [[nodiscard]] Urgency of_waiting(const JobRow& job) const {
    return {.best_effort = best_effort_[job.task],
            .deadline = edf_ ? priority_point(job) : origin,
            .waiting = edf_,
            .rank = rank_[job.task],
            .number = job.number};
  }

  [[nodiscard]] bool is_best_effort(TaskIndex task) const { return best_effort_[task]; }

 private:
  JobOrder(const System& system, Order order, const std::vector<TaskIndex>& tasks);

  [[nodiscard]] Time priority_point(const JobRow& job) const {
    return lead_.empty() ? job.deadline : job.deadline - lead_[job.task];
  }

  bool edf_;
  std::vector<std::uint32_t> rank_;  // by task
  std::vector<Duration> lead_;       // by task: how much earlier fair lateness takes the deadline
  std::vector<bool> best_effort_;    // by task
};

}  // namespace tactus::sched
