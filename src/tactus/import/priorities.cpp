#include "tactus/import/priorities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "tactus/base/utf8.hpp"
#include "tactus/import/properties.hpp"

namespace tactus::import {

namespace {

std::int64_t period_of(const Task& task) {
  return task.period ? task.period->count() : std::numeric_limits<std::int64_t>::max();
}

std::optional<std::int64_t> priority_of(const Ranked& one) {
  if (one.allocation != nullptr && one.allocation->priority) return one.allocation->priority;
  return integer_property(*one.process->element, "priority");
}

/// By rate over all tasks, so that numbers of several schedulers can be compared.
std::map<const Task*, std::int64_t> rates(const std::vector<Ranked>& tasks) {
  std::vector<const Ranked*> order;
  order.reserve(tasks.size());
  for (const Ranked& one : tasks) order.push_back(&one);
  std::stable_sort(order.begin(), order.end(), [](const Ranked* a, const Ranked* b) {
    return period_of(*a->task) < period_of(*b->task);
  });
  std::map<const Task*, std::int64_t> ranks;
  std::int64_t rank = static_cast<std::int64_t>(order.size());
  for (const Ranked* one : order) ranks[one->task] = rank--;
  return ranks;
}

std::string scheduler_name(const Element* scheduler) {
  return scheduler == nullptr ? "tasks without a scheduler"
                              : fmt::format("the tasks of {}", in_backticks(name_of(*scheduler)));
}

void set_group(const Element* scheduler, const std::vector<Ranked*>& group,
               const std::map<const Task*, std::int64_t>& by_rate, Notes& notes) {
  std::set<std::int64_t> numbers;
  std::size_t missing = 0;
  for (const Ranked* one : group) {
    const std::optional<std::int64_t> priority = priority_of(*one);
    if (priority) numbers.insert(*priority);
    if (!priority) ++missing;
  }
  const bool is_usable = missing == 0 && (numbers.size() > 1 || group.size() == 1) && *numbers.begin() >= 0;
  for (Ranked* one : group) one->task->priority = is_usable ? *priority_of(*one) : by_rate.at(one->task);
  if (group.size() == 1) return;
  const std::string who = scheduler_name(scheduler);
  if (!is_usable) {
    const std::string why = missing == group.size() ? "no priorities"
                            : missing > 0 ? fmt::format("no priority for {} of {}", missing, group.size())
                            : numbers.size() == 1 ? fmt::format("all priority {}", *numbers.begin())
                                                  : "negative priorities";
    notes.assume(
        "priorities", scheduler,
        fmt::format("{} have {}: the shorter period is the more urgent one (rate monotonic)", who, why),
        "change `priority` in the system file, or let `tactus plan` choose");
  } else if (numbers.size() < group.size()) {
    notes.assume(
        "equal-priorities", scheduler,
        fmt::format("some of {} have the same priority: the shorter deadline is then the more urgent one",
                    who));
  }
}

}  // namespace

void set_priorities(std::vector<Ranked>& tasks, Notes& notes) {
  const std::map<const Task*, std::int64_t> by_rate = rates(tasks);
  std::vector<const Element*> order;
  std::map<const Element*, std::vector<Ranked*>> groups;
  for (Ranked& one : tasks) {
    const bool has_scheduler = one.allocation != nullptr && one.allocation->scheduler != nullptr;
    const Element* scheduler = has_scheduler ? one.allocation->scheduler->element : nullptr;
    if (groups[scheduler].empty()) order.push_back(scheduler);
    groups[scheduler].push_back(&one);
  }
  for (const Element* scheduler : order) set_group(scheduler, groups[scheduler], by_rate, notes);
}

}  // namespace tactus::import
