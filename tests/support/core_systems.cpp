#include "support/core_systems.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "support/dice.hpp"

namespace tactus::test {

namespace {

constexpr std::int64_t microsecond = 1'000;
constexpr std::int64_t millisecond = 1'000'000;

Task core_task(const std::string& name, std::int64_t share_in_thousandths, bool blocks, SmAffinity sm,
               Dice& dice) {
  Task task;
  task.name = name;
  task.arrival = Arrival::sporadic;
  const std::int64_t period = dice.pick<std::int64_t>({10, 12, 15, 20, 24, 30, 40, 60, 120}) * millisecond;
  const std::int64_t cost = std::max(microsecond, period / 1000 * share_in_thousandths);
  task.period = Duration{period};
  task.deadline =
      Duration{std::max(cost, dice.between(period / 2 / microsecond, period / microsecond) * microsecond)};
  task.longest_block = Duration{blocks ? cost / dice.between(2, 20) : 0};
  task.sm = sm;
  task.work.nodes.push_back({"", ExclusiveSegment{Interval::exactly(Duration{cost})}});
  return task;
}

/// `count` positive parts of `total`, split at random points.
std::vector<std::int64_t> split(std::int64_t total, std::int64_t count, Dice& dice) {
  std::vector<std::int64_t> cuts{0, total};
  for (std::int64_t i = 1; i < count; ++i) cuts.push_back(dice.between(0, total));
  std::sort(cuts.begin(), cuts.end());
  std::vector<std::int64_t> parts;
  for (std::size_t i = 1; i < cuts.size(); ++i)
    parts.push_back(std::max<std::int64_t>(1, cuts[i] - cuts[i - 1]));
  return parts;
}

/// One task of the plain test, in whole nanoseconds.
struct Plain {
  std::int64_t cost = 0;
  std::int64_t deadline = 0;
  std::int64_t period = 0;
  std::int64_t block = 0;
};

std::vector<Plain> tasks_of(const System& system, int core) {
  std::vector<Plain> tasks;
  for (const Task& task : system.tasks) {
    const bool here = core < 0 ? task.sm.kind == SmAffinity::Kind::all
                               : task.sm.kind == SmAffinity::Kind::one && task.sm.core == core;
    if (!here) continue;
    tasks.push_back({std::get<ExclusiveSegment>(task.work.nodes.front().segment).time.worst.count(),
                     task.deadline->count(), task.period->count(), task.longest_block->count()});
  }
  return tasks;
}

}  // namespace

System core_system(std::uint64_t seed) {
  Dice dice{seed};
  System system;
  system.name = "cores-" + std::to_string(seed);
  system.platform.gpu.sms = dice.small(1, 3);
  system.policy.strategy = strategy_named("sm-cores");
  system.policy.order = dice.percent(25) ? Order::fp : Order::edf;
  const bool blocks = dice.percent(50);
  const std::int64_t gang = dice.between(50, 500);
  const auto add = [&](std::int64_t share, SmAffinity sm) {
    for (const std::int64_t part : split(share, dice.between(1, 3), dice)) {
      system.tasks.push_back(core_task("t" + std::to_string(system.tasks.size()), part, blocks, sm, dice));
    }
  };
  for (std::int32_t core = 0; core < system.platform.gpu.sms; ++core) {
    add(dice.between(50, (1000 - gang) * 98 / 100), {SmAffinity::Kind::one, core});
  }
  add(gang, {SmAffinity::Kind::all, 0});
  return system;
}

PlainServer::PlainServer(const System& system, int core) : one_is_enough_{system.policy.order == Order::fp} {
  std::vector<Plain> tasks = tasks_of(system, core);
  std::stable_sort(tasks.begin(), tasks.end(), [](const Plain& a, const Plain& b) {
    return std::pair{a.deadline, a.period} < std::pair{b.deadline, b.period};
  });
  std::int64_t whole = 1;
  for (const Plain& task : tasks) {
    longest_block_ = std::max(longest_block_, task.block);
    whole = std::lcm(whole, task.period);
  }
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    std::vector<Point>& points = points_.emplace_back();
    const Plain& task = tasks[i];
    if (!one_is_enough_) {
      // Every deadline of this task: what is due by then, and the longest block of a later deadline.
      for (std::int64_t t = task.deadline; t <= 2 * whole; t += task.period) {
        std::int64_t due = 0;
        std::int64_t block = 0;
        for (const Plain& other : tasks) {
          if (other.deadline <= t) due += ((t - other.deadline) / other.period + 1) * other.cost;
          if (other.deadline > t) block = std::max(block, other.block);
        }
        points.push_back({t, due + block});
      }
      continue;
    }
    std::vector<std::int64_t> lengths{task.deadline};
    std::int64_t block = 0;
    for (std::size_t j = 0; j < tasks.size(); ++j) {
      if (j > i) block = std::max(block, tasks[j].block);
      if (j >= i) continue;
      for (std::int64_t t = tasks[j].period; t < task.deadline; t += tasks[j].period) lengths.push_back(t);
    }
    for (const std::int64_t t : lengths) {
      std::int64_t work = task.cost + block;
      for (std::size_t j = 0; j < i; ++j) work += (t + tasks[j].period - 1) / tasks[j].period * tasks[j].cost;
      points.push_back({t, work});
    }
  }
}

bool PlainServer::holds(Duration budget, Duration period) const {
  const std::int64_t p = period.count();
  const std::int64_t q = budget.count() - longest_block_;
  if (q <= 0) return false;
  const auto is_enough = [&](const Point& point) {
    const std::int64_t whole = point.length / p;
    return whole * q + std::max<std::int64_t>(0, point.length - whole * p - (p - q)) >= point.work;
  };
  return std::all_of(points_.begin(), points_.end(), [&](const std::vector<Point>& points) {
    return one_is_enough_ ? std::any_of(points.begin(), points.end(), is_enough)
                          : std::all_of(points.begin(), points.end(), is_enough);
  });
}

bool holds_plainly(const std::vector<PlainServer>& cores, const PlainServer& gang, Duration gang_budget,
                   Duration period) {
  return gang.holds(gang_budget, period) &&
         std::all_of(cores.begin(), cores.end(),
                     [&](const PlainServer& core) { return core.holds(period - gang_budget, period); });
}

std::vector<PlainServer> plain_cores(const System& system) {
  std::vector<PlainServer> cores;
  for (int core = 0; core < system.platform.gpu.sms; ++core) {
    PlainServer server{system, core};
    if (!server.is_empty()) cores.push_back(std::move(server));
  }
  return cores;
}

}  // namespace tactus::test
