#include "tactus/analysis/window_schedule.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>
#include <vector>

namespace tactus::analysis {

namespace {

/// Converts between instants and the work served up to them.
class Service {
 public:
  explicit Service(const std::optional<Supply>& supply) {
    if (supply && supply->budget < supply->period) windows_ = supply;
  }

  [[nodiscard]] Duration until(Time time) const {
    if (!windows_) return time - origin;
    const std::int64_t whole = in_ns(time) / in_ns(windows_->period);
    const Duration rest = (time - origin) - windows_->period * whole;
    return windows_->budget * whole + std::clamp(rest - windows_->offset, Duration{}, windows_->budget);
  }

  /// The first instant until which `work` (more than 0) has been served.
  [[nodiscard]] Time end_of(Int128 work) const {
    if (!windows_) return in_range(work);
    if (windows_->budget <= Duration{}) return never;
    const Int128 whole = (work - 1) / in_ns(windows_->budget);
    return in_range(whole * in_ns(windows_->period) + in_ns(windows_->offset) +
                    (work - whole * in_ns(windows_->budget)));
  }

 private:
  static Time in_range(Int128 time) {
    return time < in_ns(never) ? time_at(Duration{static_cast<std::int64_t>(time)}) : never;
  }

  std::optional<Supply> windows_;
};

struct PlayedJob {
  Time deadline{};
  std::size_t task = 0;
  std::int64_t number = 0;
  Time release{};
  Duration left{};

  bool operator>(const PlayedJob& other) const {
    return std::tie(deadline, task, number) > std::tie(other.deadline, other.task, other.number);
  }
};

struct Release {
  Time time{};
  std::size_t task = 0;
  std::int64_t number = 0;

  bool operator>(const Release& other) const {
    return std::tie(time, task) > std::tie(other.time, other.task);
  }
};

template <typename Value>
using Least = std::priority_queue<Value, std::vector<Value>, std::greater<>>;

class Player {
 public:
  Player(std::span<const PeriodicTask> tasks, const std::optional<Supply>& supply, Time horizon)
      : tasks_{tasks}, service_{supply}, horizon_{horizon} {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (time_at(tasks[i].offset) < horizon) releases_.push({time_at(tasks[i].offset), i, 0});
    }
  }

  ScheduleOutcome play(std::int64_t max_jobs) {
    while (!releases_.empty() || running_) {
      const Time next = releases_.empty() ? never : releases_.top().time;
      if (running_ && run_until(next)) return {miss_, true};
      if (next == never) continue;
      now_ = std::max(now_, next);
      while (!releases_.empty() && releases_.top().time == next) {
        if (max_jobs-- == 0) return {};
        release();
      }
      choose();
    }
    return {std::nullopt, true};
  }

 private:
  /// Serves what is pending until the next release; true when a job misses.
  ///
  /// The running job has the earliest deadline of all that are pending. So if any of them is late, it is, and
  /// a release at its deadline or later does not change that.
  bool run_until(Time next) {
    while (running_) {
      const Int128 served = in_ns(service_.until(now_));
      const Time end = service_.end_of(served + in_ns(running_->left));
      if (end > running_->deadline && next >= running_->deadline) {
        const Duration done = service_.until(running_->deadline) - service_.until(now_);
        miss_ = {running_->task, running_->number, running_->release, running_->deadline,
                 running_->left - done};
        return true;
      }
      if (end > next) {
        running_->left -= service_.until(next) - service_.until(now_);
        return false;
      }
      now_ = end;
      running_.reset();
      if (end == next) return false;  // releases of this instant come before the choice
      choose();
    }
    return false;
  }

  void release() {
    const Release due = releases_.top();
    releases_.pop();
    const PeriodicTask& task = tasks_[due.task];
    ready_.push({checked_add(due.time, task.deadline), due.task, due.number, due.time, task.cost});
    const Time following = saturating_add(due.time, task.period);
    if (following < horizon_) releases_.push({following, due.task, due.number + 1});
  }

  void choose() {
    if (ready_.empty()) return;
    if (running_) {
      if (ready_.top().deadline >= running_->deadline) return;
      ready_.push(*running_);
    }
    running_ = ready_.top();
    ready_.pop();
  }

  std::span<const PeriodicTask> tasks_;
  Service service_;
  Time horizon_;
  Least<Release> releases_;
  Least<PlayedJob> ready_;  // waiting; the running job is not among them
  std::optional<PlayedJob> running_;
  Time now_ = origin;
  std::optional<MissedJob> miss_;
};

}  // namespace

ScheduleOutcome play_edf(std::span<const PeriodicTask> tasks, const std::optional<Supply>& supply,
                         Time horizon, std::int64_t max_jobs) {
  return Player{tasks, supply, horizon}.play(max_jobs);
}

}  // namespace tactus::analysis
