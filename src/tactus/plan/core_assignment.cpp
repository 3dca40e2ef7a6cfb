#include "tactus/plan/core_assignment.hpp"

#include <algorithm>
#include <map>

namespace tactus::plan {

namespace {

/// The share of its period for which a job occupies its core; for sorting only.
double utilisation(ServerCatalog& catalog, TaskIndex task) {
  const ServerBudget* alone = catalog.core({task});
  if (alone == nullptr) return 0;
  const analysis::GpuTask& seen = alone->server().tasks.front();
  return static_cast<double>(seen.cost.count()) / static_cast<double>(seen.period.count());
}

Duration need_of(ServerBudget* server, Duration period) {
  if (server == nullptr) return {};
  return server->can_hold() ? server->min_budget(period) : Duration::max();
}

void insert_sorted(Group& group, TaskIndex task) {
  group.insert(std::upper_bound(group.begin(), group.end(), task), task);
}

void erase_sorted(Group& group, TaskIndex task) {
  group.erase(std::lower_bound(group.begin(), group.end(), task));
}

}  // namespace

CoreAssignment::CoreAssignment(ServerCatalog& catalog, const Watch& watch)
    : catalog_{catalog}, watch_{watch} {
  const System& system = catalog_.system();
  std::map<std::int32_t, Group> fixed;
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    if (task.sm.kind == SmAffinity::Kind::all) continue;
    has_tasks_ = true;
    if (task.deadline) shortest_deadline_ = std::min(shortest_deadline_, *task.deadline);
    if (task.sm.kind == SmAffinity::Kind::one) {
      fixed[task.sm.core].push_back(i);
    } else {
      movable_.push_back(i);
    }
  }
  std::stable_sort(movable_.begin(), movable_.end(), [&](TaskIndex a, TaskIndex b) {
    return utilisation(catalog_, a) > utilisation(catalog_, b);
  });
  const std::int32_t cores = system.platform.gpu.sms / system.policy.sm_group;
  std::size_t empty = 0;
  for (std::int32_t core = 0; core < cores; ++core) {
    const auto found = fixed.find(core);
    if (found != fixed.end()) {
      slots_.push_back({core, found->second, false});
    } else if (empty < movable_.size()) {
      slots_.push_back({core, {}, true});
      ++empty;
    }
  }
  count_placements();
}

bool CoreAssignment::is_best_effort(TaskIndex task) const {
  return catalog_.system().tasks[task].arrival == Arrival::best_effort;
}

void CoreAssignment::count_placements() {
  const auto empty =
      std::count_if(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.was_empty; });
  const auto taken = static_cast<std::int64_t>(slots_.size()) - empty;
  std::int64_t ways = 1;
  for (std::size_t i = 0; i < movable_.size() && is_exact_; ++i) {
    ways *= taken + std::min<std::int64_t>(empty, static_cast<std::int64_t>(i) + 1);
    is_exact_ = ways <= max_placements;
  }
}

/// Slots for a task in the order in which they are tried. Of the empty cores only the first, since they
/// are equivalent. Best-effort tasks try an empty core first.
template <typename Visit>
void CoreAssignment::for_each_slot(TaskIndex task, const Visit& visit) {
  const bool backwards = is_best_effort(task);
  bool empty_seen = false;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    Slot& slot = slots_[backwards ? slots_.size() - 1 - i : i];
    if (slot.was_empty && slot.tasks.empty()) {
      if (empty_seen) continue;
      empty_seen = true;
    }
    insert_sorted(slot.tasks, task);
    const bool done = visit(slot);
    erase_sorted(slot.tasks, task);
    if (done) return;
  }
}

void CoreAssignment::keep_placement() {
  placement_.clear();
  for (const Slot& slot : slots_) {
    for (const TaskIndex task : slot.tasks) {
      if (catalog_.system().tasks[task].sm.kind == SmAffinity::Kind::any)
        placement_.push_back({task, slot.core});
    }
  }
}

template <typename Accepts>
bool CoreAssignment::place_from(std::size_t next, const Accepts& accepts) {
  if (next == movable_.size()) {
    keep_placement();
    return true;
  }
  bool placed = false;
  for_each_slot(movable_[next], [&](const Slot& slot) {
    // The first descent is first-fit: it takes as many steps as it needs.
    if (++tried_ > max_placements && !is_exact_) return true;
    placed = accepts(slot.tasks) && place_from(next + 1, accepts);
    return placed;
  });
  return placed;
}

template <typename Accepts>
bool CoreAssignment::place_all(const Accepts& accepts) {
  // First-fit alone looks at every slot for every task.
  tried_ = -static_cast<std::int64_t>(slots_.size() * movable_.size());
  return std::all_of(slots_.begin(), slots_.end(), [&](const Slot& slot) { return accepts(slot.tasks); }) &&
         place_from(0, accepts);
}

bool CoreAssignment::fits_whole() {
  return place_all([&](const Group& tasks) {
    const ServerBudget* server = catalog_.core(tasks);
    return server == nullptr || server->can_hold();
  });
}

/// A lower bound for all placements: the need of the tasks with given cores, and of each other task alone.
Duration CoreAssignment::min_anyway(Duration period) {
  Duration least{1};
  const auto consider = [&](const Group& tasks) {
    least = std::max(least, need_of(catalog_.core(tasks), period));
  };
  for (const Slot& slot : slots_) consider(slot.tasks);
  for (const TaskIndex task : movable_) consider({task});
  return least;
}

/// The least, over all placements, of the largest need of a core.
void CoreAssignment::min_from(std::size_t next, Duration period, Duration sofar, Duration& least) {
  if (next == movable_.size()) {
    least = sofar;
    return;
  }
  for_each_slot(movable_[next], [&](const Slot& slot) {
    const Duration need = std::max(sofar, need_of(catalog_.core(slot.tasks), period));
    if (need < least) min_from(next + 1, period, need, least);
    return false;
  });
}

ServerBudget* CoreAssignment::neediest(Duration period) {
  const std::vector<Slot> before = slots_;
  for (const TaskIndex task : movable_) {
    Slot* best = nullptr;
    Duration least{};
    for_each_slot(task, [&](Slot& slot) {
      const Duration need = need_of(catalog_.core(slot.tasks), period);
      if (best == nullptr || need < least) {
        best = &slot;
        least = need;
      }
      return false;
    });
    insert_sorted(best->tasks, task);
  }
  ServerBudget* neediest = nullptr;
  for (const Slot& slot : slots_) {
    ServerBudget* server = catalog_.core(slot.tasks);
    if (need_of(server, period) > need_of(neediest, period)) neediest = server;
  }
  slots_ = before;
  return neediest;
}

CoreFit CoreAssignment::fit(Duration period, Duration room) {
  stop_if_asked(watch_);
  const Duration anyway = min_anyway(period);
  if (movable_.empty()) return {anyway <= room, anyway};
  if (anyway > room) return {false, anyway};
  const bool fits = place_all([&](const Group& tasks) {
    const ServerBudget* server = catalog_.core(tasks);
    return server == nullptr || server->holds(room, period);
  });
  if (fits) return {true, room};
  if (!is_exact_) return {false, anyway};
  Duration least = Duration::max();
  min_from(0, period, anyway, least);
  return {false, least};
}

}  // namespace tactus::plan
