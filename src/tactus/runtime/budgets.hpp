// How much of its execution budget every job has used.
//
// A job uses its budget while something of it is known to be served (see under_way.hpp): never while it waits
// for others, so that nobody pays for the time of somebody else.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/model/system.hpp"
#include "tactus/runtime/under_way.hpp"

namespace tactus::runtime {

class Budgets {
 public:
  explicit Budgets(const System& system) {
    for (const Task& task : system.tasks) {
      budgets_.push_back(task.budget);
      any_ = any_ || task.budget;
    }
  }
  void reserve(std::size_t jobs) {
    if (!any_) return;
    accounts_.resize(jobs);
    served_.reserve(jobs);
  }
  [[nodiscard]] bool any() const { return any_; }

  /// The job's first part is submitted; further calls change nothing.
  void open(sched::JobId job, TaskIndex task) {
    if (!budgets_[task]) return;
    Account& account = accounts_[job.slot];
    if (account.live && account.job == job) return;
    account = {.job = job, .left = *budgets_[task], .live = true};
  }
  /// Time that the job is served, as far as anybody can tell, but for which it is not to blame.
  void give(sched::JobId job, Duration time) {
    if (Account& account = accounts_[job.slot]; account.live && account.job == job) account.left += time;
  }
  void close(sched::JobId job) {
    if (any_ && accounts_[job.slot].job == job) accounts_[job.slot].live = false;
  }

  /// Books what was used up to now. To be called before and after what is under way changes.
  void book(Time now, UnderWay& under_way) {
    for (const Served& served : served_) {
      Account& account = accounts_[served.job.slot];
      if (account.job == served.job && now > served.from) account.left -= now - served.from;
    }
    booked_ = now;
    served_.clear();
    // A job has its turn with one submission at most: those behind it wait in its stream.
    under_way.for_each_in_turn([&](const Submission& submission) {
      Account& account = accounts_[submission.operation.job.slot];
      if (!account.live || account.told || !(account.job == submission.operation.job)) return;
      served_.push_back({account.job, std::max(now, submission.served_from)});
    });
  }

  /// When the next budget is used up if nothing changes.
  [[nodiscard]] Time next() const {
    Time next = never;
    for (const Served& served : served_) {
      next = std::min(next, saturating_add(served.from, accounts_[served.job.slot].left));
    }
    return next;
  }

  /// A job whose budget is used up, each one once. To be called right after `book`.
  std::optional<sched::JobId> take_used_up() {
    for (std::size_t i = 0; i < served_.size(); ++i) {
      Account& account = accounts_[served_[i].job.slot];
      if (account.left > Duration{} || served_[i].from > booked_) continue;
      account.told = true;
      served_.erase(served_.begin() + static_cast<std::ptrdiff_t>(i));
      return account.job;
    }
    return std::nullopt;
  }

 private:
  struct Account {
    sched::JobId job;
    Duration left{};
    bool live = false;
    bool told = false;
  };
  struct Served {
    sched::JobId job;
    Time from{};
  };

  std::vector<std::optional<Duration>> budgets_;  // by task
  std::vector<Account> accounts_;                 // by row of the job table
  std::vector<Served> served_;                    // use their budget
  Time booked_ = origin;
  bool any_ = false;
};

}  // namespace tactus::runtime
