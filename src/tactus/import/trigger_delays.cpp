#include "tactus/import/trigger_delays.hpp"

#include <algorithm>

#include "tactus/analysis/check.hpp"
#include "tactus/base/exact.hpp"
#include "tactus/model/validate.hpp"

namespace tactus::import {

namespace {

/// Proving takes its time; beyond these, deadlines say how late tasks come.
constexpr std::size_t most_tasks = 100;
constexpr int most_rounds = 40;

class Delays {
 public:
  Delays(System& system, const std::vector<Limited>& tasks)
      : system_{&system},
        limits_{&tasks},
        triggers_(tasks.size()),
        depth_(tasks.size()),
        below_(tasks.size()) {
    for (TaskIndex task = 0; task < tasks.size(); ++task) {
      int depth = 0;
      for (std::optional<TaskIndex> by = tasks[task].by; by; by = tasks[*by].by) {
        ++depth;
        triggers_[*by] = true;
        below_[*by] = std::max(below_[*by], depth);
      }
      depth_[task] = depth;
      order_.push_back(task);
    }
    std::stable_sort(order_.begin(), order_.end(),
                     [this](TaskIndex a, TaskIndex b) { return depth_[a] < depth_[b]; });
    for (const Task& task : system.tasks) own_jitter_.push_back(task.jitter);
    start_ = own_jitter_;
  }

  [[nodiscard]] bool any() const {
    return std::find(triggers_.begin(), triggers_.end(), true) != triggers_.end();
  }

  /// Every task ends at its deadline. Where the model gives none, it is the period from the activation on; or
  /// the tasks of a sequence divide their period.
  void by_deadlines(bool divides) {
    for (const TaskIndex index : order_) {
      const std::optional<TaskIndex> by = (*limits_)[index].by;
      if (by) start_[index] = task_at(*by).deadline.value_or(Duration{});
      set_start(index);
      Task& task = task_at(index);
      task.deadline = required(index);
      if (task.deadline || !limit(index)) continue;
      const Duration share = *limit(index) / (depth_[index] + 1 + below_[index]) * (depth_[index] + 1);
      const bool is_alone = depth_[index] + below_[index] == 0;
      const bool is_share = (divides || is_alone) && share > start_[index];
      task.deadline = is_share ? share : checked_add(start_[index], *limit(index));
    }
  }

  /// The least jitters with which every task that triggers others ends within its proven response time.
  bool by_bounds() {
    start_ = own_jitter_;
    for (int round = 0; round < most_rounds; ++round) {
      loosen();
      const std::optional<std::vector<Duration>> ends = proven();
      if (!ends) return false;
      if (!advance(*ends)) {
        tighten(*ends);
        return holds();
      }
    }
    return false;
  }

 private:
  [[nodiscard]] Task& task_at(TaskIndex index) const { return system_->tasks[index]; }
  [[nodiscard]] std::optional<Duration> limit(TaskIndex index) const { return (*limits_)[index].limit; }

  void set_start(TaskIndex index) {
    task_at(index).jitter = checked_add(start_[index], (*limits_)[index].blocking);
  }

  [[nodiscard]] std::optional<Duration> required(TaskIndex index) const {
    if (!(*limits_)[index].is_required) return std::nullopt;
    return checked_add(start_[index], *limit(index));
  }

  /// Deadlines far enough for every bound that may be of use.
  void loosen() {
    for (const TaskIndex index : order_) {
      set_start(index);
      Task& task = task_at(index);
      task.deadline = required(index);
      if (!task.deadline && limit(index)) task.deadline = checked_add(start_[index], *limit(index));
    }
  }

  /// What each task that triggers others takes from its release on; nothing where that is not known of one.
  [[nodiscard]] std::optional<std::vector<Duration>> proven() const {
    if (!validate(*system_).empty()) return std::nullopt;
    const std::vector<analysis::ProvenBound> bounds =
        analysis::proven_bounds(*system_, analysis::check(*system_));
    std::vector<Duration> ends(bounds.size());
    for (TaskIndex index = 0; index < bounds.size(); ++index) {
      if (!triggers_[index]) continue;
      if (!bounds[index].bound) return std::nullopt;
      ends[index] = *bounds[index].bound;
    }
    return ends;
  }

  /// True when some task comes later than it was taken to.
  bool advance(const std::vector<Duration>& ends) {
    bool is_later = false;
    for (const TaskIndex index : order_) {
      const std::optional<TaskIndex> by = (*limits_)[index].by;
      if (!by || ends[*by] <= start_[index]) continue;
      start_[index] = ends[*by];
      is_later = true;
    }
    return is_later;
  }

  void tighten(const std::vector<Duration>& ends) {
    for (const TaskIndex index : order_) {
      Task& task = task_at(index);
      if (triggers_[index]) task.deadline = std::min(task.deadline.value_or(ends[index]), ends[index]);
    }
  }

  /// With other deadlines, tasks of the same priority may be in another order.
  [[nodiscard]] bool holds() const {
    const std::optional<std::vector<Duration>> ends = proven();
    return ends && std::all_of(order_.begin(), order_.end(), [&](TaskIndex index) {
             const std::optional<TaskIndex> by = (*limits_)[index].by;
             return !by || (*ends)[*by] <= start_[index];
           });
  }

  System* system_;
  const std::vector<Limited>* limits_;
  std::vector<bool> triggers_;
  std::vector<int> depth_;        // how many tasks trigger it one after the other
  std::vector<int> below_;        // the most that it triggers so
  std::vector<TaskIndex> order_;  // those that trigger before those that are triggered
  std::vector<Duration> own_jitter_;
  std::vector<Duration> start_;  // when each is activated at the latest, from its release on
};

}  // namespace

std::vector<std::optional<Duration>> response_bounds(const System& system) {
  std::vector<std::optional<Duration>> bounds(system.tasks.size());
  if (system.tasks.size() > most_tasks || !validate(system).empty()) return bounds;
  const std::vector<analysis::ProvenBound> proven = analysis::proven_bounds(system, analysis::check(system));
  for (std::size_t i = 0; i < bounds.size(); ++i) bounds[i] = proven[i].bound;
  return bounds;
}

TriggerDelay set_trigger_delays(System& system, const std::vector<Limited>& tasks, bool may_prove) {
  Delays delays{system, tasks};
  delays.by_deadlines(!may_prove);
  if (!delays.any()) return TriggerDelay::none;
  if (!may_prove || tasks.size() > most_tasks) return TriggerDelay::deadline;
  if (delays.by_bounds()) return TriggerDelay::bound;
  delays.by_deadlines(false);
  return TriggerDelay::deadline;
}

}  // namespace tactus::import
