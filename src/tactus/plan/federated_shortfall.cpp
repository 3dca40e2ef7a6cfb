#include "tactus/plan/federated_shortfall.hpp"

#include <algorithm>

#include "tactus/analysis/rtgpu_allocation.hpp"
#include "tactus/plan/federated_orders.hpp"
#include "tactus/plan/stopped.hpp"

namespace tactus::plan {

using analysis::FederatedTask;
using analysis::FederatedTasks;

namespace {

constexpr std::int64_t max_effort_each = 30'000;

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
