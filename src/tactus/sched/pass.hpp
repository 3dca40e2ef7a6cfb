// One scheduling pass: what a strategy may submit in it.
//
// Where submissions take no time, everything. Where they do (EngineTime), one of them: the most urgent that
// any server can take now. The strategy is then asked twice: which candidates there are, and to submit the
// most urgent of them. What is not submitted is not decided, so no server is held for a submission that waits
// while others are made.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tactus/sched/job_table.hpp"
#include "tactus/sched/urgency.hpp"

namespace tactus::sched {

class Pass {
 public:
  /// Submits everything.
  Pass() = default;
  /// Submits nothing, and notes the most urgent candidate.
  static Pass look(const JobOrder& order, const JobTable& jobs) noexcept { return {Mode::look, order, jobs}; }
  /// Submits what the engine does not submit: jobs of resident tasks.
  static Pass resident(const std::vector<bool>& tasks, const JobTable& jobs) noexcept {
    Pass pass;
    pass.mode_ = Mode::resident;
    pass.jobs_ = &jobs;
    pass.resident_ = &tasks;
    return pass;
  }
  /// Submits one candidate of this urgency.
  static Pass take(const Urgency& urgency, const JobOrder& order, const JobTable& jobs) noexcept {
    Pass pass{Mode::take, order, jobs};
    pass.best_ = urgency;
    return pass;
  }

  /// Asked before each submission or stop request, with the job for which it is made. On false the strategy
  /// leaves everything as it is, and goes on with its other servers.
  [[nodiscard]] bool may_submit(JobId job) noexcept {
    if (mode_ == Mode::all) return true;
    if (mode_ == Mode::resident) return (*resident_)[jobs_->get(job).task];
    const Urgency urgency = order_->of_waiting(jobs_->get(job));
    if (mode_ == Mode::look) {
      if (!best_ || urgency < *best_) best_ = urgency;
      return false;
    }
    if (!best_ || *best_ < urgency || urgency < *best_) return false;
    best_.reset();
    return true;
  }

  /// The most urgent candidate; nothing when there was none.
  [[nodiscard]] const std::optional<Urgency>& best() const noexcept { return best_; }

 private:
  enum class Mode : std::uint8_t { all, look, take, resident };

  Pass(Mode mode, const JobOrder& order, const JobTable& jobs) noexcept
      : mode_{mode}, order_{&order}, jobs_{&jobs} {}

  Mode mode_ = Mode::all;
  const JobOrder* order_ = nullptr;
  const JobTable* jobs_ = nullptr;
  const std::vector<bool>* resident_ = nullptr;  // by task
  std::optional<Urgency> best_;
};

}  // namespace tactus::sched
