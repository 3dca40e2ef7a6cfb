#include "tactus/plan/audsley.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "tactus/analysis/response_judge.hpp"

namespace tactus::plan {

using analysis::GpuServer;
using analysis::GpuTask;
using analysis::Interference;
using analysis::SupplyBound;

namespace {

/// The largest of `length` over less urgent tasks, best-effort ones included.
Duration blocking(const Position& position, Duration GpuTask::*length) {
  const GpuServer& server = position.server;
  std::vector<bool> less_urgent(server.tasks.size(), true);
  less_urgent[position.task] = false;
  for (const std::size_t other : position.more_urgent) less_urgent[other] = false;
  Duration longest{};
  for (std::size_t i = 0; i < server.tasks.size(); ++i) {
    if (less_urgent[i]) longest = std::max(longest, server.tasks[i].*length);
  }
  for (const analysis::BestEffortBlock& block : server.best_effort_blocks) {
    longest = std::max(longest, block.length);
  }
  return longest;
}

void add(Interference& interference, const GpuTask& task) {
  interference.add(task.cost, task.period, task.jitter);
}

}  // namespace

PriorityOrder audsley_order(std::vector<std::size_t> wish, const HoldsBelow& holds) {
  PriorityOrder result;
  std::vector<std::size_t> lower;  // least urgent first
  while (!wish.empty()) {
    bool filled = false;
    for (std::size_t place = wish.size(); place > 0 && !filled; --place) {
      std::vector<std::size_t> others = wish;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(place - 1));
      if (!holds(wish[place - 1], others)) continue;
      lower.push_back(wish[place - 1]);
      wish = std::move(others);
      filled = true;
    }
    if (!filled) break;
  }
  result.found = wish.empty();
  result.stuck_at = wish.size();
  result.order = std::move(wish);
  result.order.insert(result.order.end(), lower.rbegin(), lower.rend());
  return result;
}

std::optional<Duration> non_preemptive_response(const Position& position, Duration limit) {
  const GpuTask& task = position.server.tasks[position.task];
  Interference more_urgent{position.more_urgent.size()};
  Interference with_own{position.more_urgent.size() + 1};
  const std::optional<analysis::CountedEngine>& engine = position.server.engine;
  if (engine) {
    add_events(more_urgent, engine->load, engine->earlier, analysis::End::closed);
    add_events(with_own, engine->load, engine->earlier, analysis::End::open);
  }
  for (const std::size_t other : position.more_urgent) {
    add(more_urgent, position.server.tasks[other]);
    add(with_own, position.server.tasks[other]);
  }
  add(with_own, task);
  if (limit <= task.jitter || with_own.compare_utilisation({1, 1}) > 0) return std::nullopt;
  const Duration finish = engine ? engine->finish[position.task] : task.cost;
  const analysis::NonPreemptiveTask own{task, blocking(position, &GpuTask::cost), more_urgent, with_own,
                                        finish};
  const analysis::NonPreemptiveResponse found = own.response(limit, analysis::max_busy_jobs);
  using Outcome = analysis::NonPreemptiveResponse::Outcome;
  return found.outcome == Outcome::found ? std::optional{found.response} : std::nullopt;
}

std::optional<Duration> window_response(const Position& position, const SupplyBound& supply, Duration limit) {
  const GpuTask& task = position.server.tasks[position.task];
  if (limit <= task.jitter) return std::nullopt;
  Interference more_urgent{position.more_urgent.size()};
  for (const std::size_t other : position.more_urgent) add(more_urgent, position.server.tasks[other]);
  const Int128 work =
      static_cast<Int128>(task.cost.count()) + blocking(position, &GpuTask::longest_block).count();
  const analysis::FixedPoint point =
      more_urgent.min_length(work, analysis::End::open, supply, (limit - task.jitter).count());
  return point.found() ? std::optional{Duration{point.length} + task.jitter} : std::nullopt;
}

PriorityOrder window_order(const GpuServer& server, const SupplyBound& supply) {
  std::vector<std::size_t> wish(server.tasks.size());
  std::iota(wish.begin(), wish.end(), std::size_t{0});
  return audsley_order(std::move(wish), [&](std::size_t task, const std::vector<std::size_t>& more_urgent) {
    return window_response({server, task, more_urgent}, supply, server.tasks[task].deadline).has_value();
  });
}

}  // namespace tactus::plan
