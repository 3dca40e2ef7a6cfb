#include "tactus/analysis/allocation_search.hpp"

namespace tactus::analysis {

namespace {

bool is_free(const FederatedTask& task) { return !task.sms.has_value(); }

/// Depth first. At each task the SMs that are left, less one for each later task that still chooses.
class Search {
 public:
  Search(const FederatedTasks& tasks, const MayHold& may_hold, std::int64_t max_questions)
      : tasks_{tasks}, may_hold_{may_hold}, questions_left_{max_questions}, split_(tasks.tasks.size()) {}

  AllocationFound run() {
    std::int64_t left = tasks_.sms;
    std::int64_t free = 0;
    for (const FederatedTask& task : tasks_.tasks) {
      left -= task.sms.value_or(0);
      if (is_free(task)) ++free;
    }
    if (left < free) return {AllocationFound::Outcome::none, {}};
    const bool found = extend(0, left, free);
    if (gave_up_) return {AllocationFound::Outcome::gave_up, {}};
    return found ? AllocationFound{AllocationFound::Outcome::found, split_}
                 : AllocationFound{AllocationFound::Outcome::none, {}};
  }

 private:
  /// `left` SMs for tasks from `index` on, `free` of which choose.
  bool extend(std::size_t index, std::int64_t left, std::int64_t free) {
    for (std::size_t later = index; later < split_.size(); ++later) {
      split_[later] = tasks_.tasks[later].sms.value_or(left - free + 1);
    }
    if (questions_left_-- == 0) gave_up_ = true;
    if (gave_up_ || !may_hold_(split_, index)) return false;
    if (index == split_.size()) return true;
    if (!is_free(tasks_.tasks[index])) return extend(index + 1, left, free);
    const std::int64_t most = left - free + 1;
    for (std::int64_t sms = 1; sms <= most && !gave_up_; ++sms) {
      split_[index] = sms;
      if (extend(index + 1, left - sms, free - 1)) return true;
    }
    return false;
  }

  const FederatedTasks& tasks_;
  const MayHold& may_hold_;
  std::int64_t questions_left_;
  bool gave_up_ = false;
  SmCounts split_;
};

}  // namespace

SmCounts max_sms(const FederatedTasks& tasks) {
  std::int64_t left = tasks.sms;
  std::int64_t free = 0;
  for (const FederatedTask& task : tasks.tasks) {
    left -= task.sms.value_or(0);
    if (is_free(task)) ++free;
  }
  if (left < free) return {};
  SmCounts most;
  for (const FederatedTask& task : tasks.tasks) most.push_back(task.sms.value_or(left - free + 1));
  return most;
}

AllocationFound find_first_allocation(const FederatedTasks& tasks, const MayHold& may_hold,
                                      std::int64_t max_questions) {
  return Search{tasks, may_hold, max_questions}.run();
}

}  // namespace tactus::analysis
