// How much of its execution budget every job has used.
//
// A job uses its budget while something of it is on a server and nothing more urgent is there.
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
  void reserve(std::size_t jobs) { accounts_.reserve(any_ ? jobs : 0); }
  [[nodiscard]] bool any() const { return any_; }

  /// The job's first part is submitted; further calls change nothing.
  void open(sched::JobId job, TaskIndex task) {
    if (!budgets_[task]) return;
    const bool is_open = std::any_of(accounts_.begin(), accounts_.end(),
                                     [&](const Account& account) { return account.job == job; });
    if (!is_open) accounts_.push_back({.job = job, .left = *budgets_[task]});
  }
  void close(sched::JobId job) {
    std::erase_if(accounts_, [&](const Account& account) { return account.job == job; });
  }

  /// Books what was used up to now. To be called before and after what is under way changes.
  void book(Time now, const UnderWay& under_way) {
    for (Account& account : accounts_) {
      if (account.since != never) account.left -= now - account.since;
      account.since = account.told || !under_way.is_served(account.job) ? never : now;
    }
  }

  /// When the next budget is used up if nothing changes.
  [[nodiscard]] Time next() const {
    Time next = never;
    for (const Account& account : accounts_) {
      if (account.since != never) next = std::min(next, saturating_add(account.since, account.left));
    }
    return next;
  }

  /// A job whose budget is used up, each one once. To be called right after `book`.
  std::optional<sched::JobId> take_used_up() {
    for (Account& account : accounts_) {
      if (account.told || account.left > Duration{}) continue;
      account.told = true;
      account.since = never;
      return account.job;
    }
    return std::nullopt;
  }

 private:
  struct Account {
    sched::JobId job;
    Duration left{};
    Time since = never;  // it is being used; `never`: it is not
    bool told = false;
  };

  std::vector<std::optional<Duration>> budgets_;  // by task
  std::vector<Account> accounts_;
  bool any_ = false;
};

}  // namespace tactus::runtime
