// The execution budget that every job has left.
//
// A job consumes budget only while one of its submissions is known to be served (in_flight.hpp). Time that it
// waits for other jobs is never charged to it.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/base/touch.hpp"
#include "tactus/model/system.hpp"
#include "tactus/runtime/in_flight.hpp"
#include "tactus/sched/job_map.hpp"

namespace tactus::runtime {

class Budgets {
 public:
  explicit Budgets(const System& system) {
    for (const Task& task : system.tasks) {
      budgets_.push_back(task.budget);
      any_ = any_ || task.budget;
    }
  }
  void reserve(std::size_t jobs, std::size_t submissions) {
    if (!any_) return;
    accounts_ = sched::JobMap<Account>{jobs};
    served_.reserve(submissions);
  }
  void touch() { tactus::touch(served_); }
  [[nodiscard]] bool any() const { return any_; }

  /// Called at every submission of the job; only the first has an effect.
  void open(sched::JobId job, TaskIndex task) {
    if (!budgets_[task]) return;
    Account& account = accounts_.open(job);
    if (!account.live) account = {.left = *budgets_[task], .live = true};
  }
  /// Credits time in which the job counts as served although the overhead is not its own work.
  void give(sched::JobId job, Duration time) {
    if (Account* account = accounts_.find(job); account != nullptr && account->live) account->left += time;
  }
  void close(sched::JobId job) {
    if (Account* account = accounts_.find(job)) account->live = false;
  }

  /// Charges all jobs up to now. Must be called before and after the set of submissions in flight changes.
  void book(Time now, InFlight& in_flight) {
    for (const Served& served : served_) {
      Account* account = accounts_.find(served.job);
      if (account != nullptr && now > served.from) account->left -= now - served.from;
    }
    booked_ = now;
    served_.clear();
    in_flight.for_each_in_turn([&](const Submission& submission) {
      const sched::JobId job = submission.id.job;
      const Account* account = accounts_.find(job);
      if (account == nullptr || !account->live || account->told) return;
      served_.push_back({job, std::max(now, submission.served_from)});
    });
  }

  /// The earliest instant at which a budget can run out if nothing changes. A job with several segments in
  /// service at once is charged for each of them.
  [[nodiscard]] Time next() const {
    Time next = never;
    for (const Served& served : served_) {
      const Account* account = accounts_.find(served.job);
      if (account == nullptr) continue;
      const auto side_by_side = std::count_if(served_.begin(), served_.end(),
                                              [&](const Served& other) { return other.job == served.job; });
      const std::int64_t left = std::max<std::int64_t>(0, in_ns(account->left));
      next = std::min(next, saturating_add(served.from, nanoseconds(ceil_div(left, side_by_side))));
    }
    return next;
  }

  /// A job whose budget has run out; each job is returned once. Must be called right after `book`.
  std::optional<sched::JobId> take_used_up() {
    for (const Served& one : served_) {
      const sched::JobId job = one.job;
      Account* account = accounts_.find(job);
      if (account == nullptr || account->left > Duration{} || one.from > booked_) continue;
      account->told = true;
      std::erase_if(served_, [&](const Served& served) { return served.job == job; });
      return job;
    }
    return std::nullopt;
  }

 private:
  struct Account {
    Duration left{};
    bool live = false;
    bool told = false;
  };
  struct Served {
    sched::JobId job;
    Time from{};
  };

  std::vector<std::optional<Duration>> budgets_;  // by task
  sched::JobMap<Account> accounts_;
  std::vector<Served> served_;  // submissions that consume budget now
  Time booked_ = origin;
  bool any_ = false;
};

}  // namespace tactus::runtime
