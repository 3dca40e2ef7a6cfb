#include "tactus/plan/federated_orders.hpp"

#include <algorithm>
#include <numeric>
#include <queue>
#include <set>
#include <utility>

#include "tactus/analysis/federated_response.hpp"
#include "tactus/analysis/rtgpu_allocation.hpp"

namespace tactus::plan {

using analysis::AllocationResult;
using analysis::FederatedTask;
using analysis::FederatedTasks;

namespace {

/// Limits on the response bounds computed in all, and by one search for a division.
constexpr std::int64_t max_effort = 600'000;
constexpr std::int64_t max_effort_each = 30'000;
/// Orders that the first part may try.
constexpr std::int64_t max_moves = 300;

using PriorityOrder = std::vector<std::size_t>;  // places in the order of deadlines

struct Candidate {
  std::size_t furthest = 0;
  std::int64_t number = 0;  // earlier ones first
  PriorityOrder order;

  friend bool operator<(const Candidate& a, const Candidate& b) {
    return a.furthest != b.furthest ? a.furthest < b.furthest : a.number > b.number;
  }
};

/// On the most SMs there are; saturates.
Duration longest_job(const FederatedTask& task) {
  Int128 sum = 0;
  for (const analysis::Stage& stage : task.stages.back()) sum += stage.time.worst.count();
  return Duration{static_cast<std::int64_t>(std::min<Int128>(sum, Duration::max().count()))};
}

/// The most urgent tasks alone; of the others only their longest copy counts, as blocking.
FederatedTasks first_tasks(const FederatedTasks& tasks, std::size_t count) {
  FederatedTasks first = tasks;
  if (count > 0) first.background_copy = analysis::copy_blocking(tasks)[count - 1].length;
  first.tasks.erase(first.tasks.begin() + static_cast<std::ptrdiff_t>(count), first.tasks.end());
  return first;
}

class Search {
 public:
  Search(const FederatedTasks& tasks, std::int64_t sms, const Watch& watch)
      : tasks_{tasks}, sms_{sms}, watch_{watch} {}

  FederatedOrder run() {
    move_up();
    if (!result_.found) {
      PriorityOrder rest = by_deadline();
      PriorityOrder first;
      complete_ = true;
      extend(first, rest);
      result_.complete = complete_ && !result_.found;
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::size_t count() const { return tasks_.tasks.size(); }

  [[nodiscard]] PriorityOrder by_deadline() const {
    PriorityOrder order(count());
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
  }

  template <typename Key>
  [[nodiscard]] PriorityOrder sorted_by(Key key) const {
    PriorityOrder order = by_deadline();
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return key(tasks_.tasks[a]) < key(tasks_.tasks[b]);
    });
    return order;
  }

  [[nodiscard]] FederatedTasks in_order(const PriorityOrder& order) const {
    FederatedTasks ordered = tasks_;
    for (std::size_t i = 0; i < order.size(); ++i) ordered.tasks[i] = tasks_.tasks[order[i]];
    return ordered;
  }

  AllocationResult judge(const FederatedTasks& tasks, std::int64_t sms) {
    stop_if_asked(watch_);
    watch_.show(static_cast<double>(std::min(effort_, max_effort)) / static_cast<double>(max_effort));
    ++result_.tried;
    AllocationResult search =
        analysis::search_allocation(tasks, analysis::FederatedTest::rtgpu, sms, max_effort_each);
    effort_ += search.effort;
    return search;
  }

  void keep(const PriorityOrder& order) {
    result_.found = true;
    for (const std::size_t place : order) result_.order.push_back(tasks_.tasks[place].task);
  }

  // Part 1.

  void consider(PriorityOrder order) {
    if (result_.found || !seen_.insert(order).second) return;
    const AllocationResult search = judge(in_order(order), sms_);
    if (search.allocation) {
      keep(order);
    } else {
      open_.push({search.furthest, result_.tried, std::move(order)});
    }
  }

  void move_up() {
    consider(by_deadline());
    consider(sorted_by([](const FederatedTask& task) { return task.deadline - longest_job(task); }));
    consider(
        sorted_by([](const FederatedTask& task) { return -analysis::longest_copy(task.stages.back()); }));
    while (!result_.found && !open_.empty() && result_.tried < max_moves && effort_ < max_effort / 2) {
      const Candidate best = open_.top();
      open_.pop();
      for (std::size_t place = best.furthest; place-- > 0;) {
        PriorityOrder moved = best.order;
        std::rotate(moved.begin() + static_cast<std::ptrdiff_t>(place),
                    moved.begin() + static_cast<std::ptrdiff_t>(best.furthest),
                    moved.begin() + static_cast<std::ptrdiff_t>(best.furthest) + 1);
        consider(std::move(moved));
      }
    }
  }

  // Part 2.

  /// Orders that begin with these tasks.
  void extend(PriorityOrder& first, PriorityOrder& rest) {
    for (std::size_t i = 0; i < rest.size() && !result_.found; ++i) {
      if (effort_ > max_effort) {
        complete_ = false;
        return;
      }
      const std::size_t next = rest[i];
      first.push_back(next);
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      if (may_hold(first, rest)) {
        if (rest.empty()) {
          if (!result_.found) complete_ = false;  // that search gave up
        } else {
          extend(first, rest);
        }
      }
      first.pop_back();
      rest.insert(rest.begin() + static_cast<std::ptrdiff_t>(i), next);
    }
  }

  bool may_hold(const PriorityOrder& first, const PriorityOrder& rest) {
    PriorityOrder order = first;
    order.insert(order.end(), rest.begin(), rest.end());
    const FederatedTasks ordered = in_order(order);
    const AllocationResult search =
        judge(first_tasks(ordered, first.size()), sms_ - min_sms_behind(ordered, first.size()));
    if (search.allocation && rest.empty()) keep(order);
    return search.allocation || search.gave_up;
  }

  const FederatedTasks& tasks_;
  std::int64_t sms_;
  const Watch& watch_;
  std::set<PriorityOrder> seen_;
  std::priority_queue<Candidate> open_;
  std::int64_t effort_ = 0;
  bool complete_ = false;
  FederatedOrder result_;
};

}  // namespace

std::int64_t min_sms_behind(const FederatedTasks& tasks, std::size_t count) {
  return std::accumulate(
      tasks.tasks.begin() + static_cast<std::ptrdiff_t>(count), tasks.tasks.end(), std::int64_t{0},
      [](std::int64_t sum, const FederatedTask& task) { return sum + task.sms.value_or(1); });
}

FederatedOrder search_orders(const FederatedTasks& tasks, std::int64_t sms, const Watch& watch) {
  return Search{tasks, sms, watch}.run();
}

namespace {

/// The tasks from the most urgent to one that fails.
struct FirstTasks {
  FederatedTasks tasks;
  std::int64_t sms = 0;

  [[nodiscard]] bool hold() const {
    return analysis::search_allocation(tasks, analysis::FederatedTest::rtgpu, sms, max_effort_each)
        .allocation.has_value();
  }

  /// The same with another deadline of the last task. It interferes with no other task, so its period may
  /// grow too.
  [[nodiscard]] bool hold_with(Duration deadline) {
    FederatedTask& last = tasks.tasks.back();
    last.deadline = deadline;
    last.period = std::max(last.period, deadline);
    return hold();
  }
};

FirstTasks find_first_that_fail(const FederatedTasks& tasks, std::int64_t sms, const Watch& watch) {
  for (std::size_t count = 1;; ++count) {
    stop_if_asked(watch);
    FirstTasks first{first_tasks(tasks, count), sms - min_sms_behind(tasks, count)};
    if (count == tasks.tasks.size() || !first.hold()) return first;
  }
}

Duration far_beyond(Duration deadline) {
  constexpr std::int64_t times = 1000;
  const Int128 limit = static_cast<Int128>(deadline.count()) * times;
  return Duration{static_cast<std::int64_t>(std::min<Int128>(limit, Duration::max().count() / 4))};
}

}  // namespace

Shortfall federated_shortfall(const System& system, const FederatedTasks& tasks, std::int64_t sms,
                              const Watch& watch) {
  FirstTasks first = find_first_that_fail(tasks, sms, watch);
  const FederatedTask last = first.tasks.tasks.back();
  Shortfall shortfall{system.tasks[last.task].name, {}};
  Duration fails = last.deadline;
  Duration holds = far_beyond(last.deadline);
  if (holds <= fails || !first.hold_with(holds)) return shortfall;
  while (holds - fails > Duration{1}) {
    stop_if_asked(watch);
    const Duration middle = fails + (holds - fails) / 2;
    (first.hold_with(middle) ? holds : fails) = middle;
  }
  shortfall.by = holds - last.deadline;
  return shortfall;
}

}  // namespace tactus::plan
