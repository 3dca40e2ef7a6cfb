#include "tactus/plan/searches.hpp"

#include <numeric>
#include <utility>

#include "tactus/analysis/engine_charges.hpp"
#include "tactus/analysis/response_judge.hpp"
#include "tactus/base/text.hpp"
#include "tactus/plan/acceptance.hpp"
#include "tactus/plan/audsley.hpp"
#include "tactus/plan/priorities.hpp"
#include "tactus/plan/stopped.hpp"
#include "tactus/plan/stream_orders.hpp"

namespace tactus::plan {

using analysis::GpuServer;
using analysis::GpuServers;

namespace {

std::vector<TaskIndex> tasks_of(const GpuServer& server, const std::vector<std::size_t>& order) {
  std::vector<TaskIndex> tasks;
  tasks.reserve(order.size());
  for (const std::size_t place : order) tasks.push_back(server.tasks[place].task);
  return tasks;
}

System with_order(const System& system, const std::vector<TaskIndex>& order) {
  System complete = system;
  set_priorities(complete, order);
  return complete;
}

/// Of the tasks that are left for a level the one that misses least there.
Shortfall nearest_to_hold(const System& system, const GpuServer& server,
                          const std::vector<std::size_t>& left) {
  std::optional<Shortfall> nearest;
  for (std::size_t place = 0; place < left.size(); ++place) {
    std::vector<std::size_t> others = left;
    std::erase(others, left[place]);
    const analysis::GpuTask& task = server.tasks[left[place]];
    const std::optional<Duration> response =
        non_preemptive_response({server, left[place], others}, far_beyond(task));
    Shortfall here{system.tasks[task.task].name, {}};
    if (response) here.by = *response - task.deadline;
    if (!nearest || (here.by && (!nearest->by || *here.by < *nearest->by))) nearest = here;
  }
  return *nearest;
}

std::string amount(const Shortfall& shortfall) {
  return shortfall.by ? "its bound is " + to_text(*shortfall.by) + " past its deadline"
                      : "its response has no bound";
}

void plan_single_stream(Plan& plan, const System& system, const GpuServer& server, const Watch& watch) {
  std::vector<std::size_t> wish(server.tasks.size());
  std::iota(wish.begin(), wish.end(), std::size_t{0});
  const PriorityOrder found =
      audsley_order(std::move(wish), [&](std::size_t task, const std::vector<std::size_t>& more_urgent) {
        stop_if_asked(watch);
        return non_preemptive_response({server, task, more_urgent}, server.tasks[task].deadline).has_value();
      });
  if (found.found) {
    accept(plan, with_order(system, tasks_of(server, found.order)), "Audsley's assignment for np-fp", watch);
    return;
  }
  const std::vector<std::size_t> left{found.order.begin(),
                                      found.order.begin() + static_cast<std::ptrdiff_t>(found.stuck_at)};
  plan.fails = nearest_to_hold(system, server, left);
  plan.searched = "Audsley's assignment, which finds an order that np-fp accepts if there is one";
  plan.why_not = "no order of priorities holds: none of the " + std::to_string(left.size()) +
                 " tasks that are left can have the " + std::to_string(left.size()) +
                 ". level from the top; '" + plan.fails->task + "' is nearest, and there " +
                 amount(*plan.fails);
}

void plan_multi_stream(Plan& plan, const System& system, const GpuServers& gpu, const Watch& watch) {
  const GpuServer& server = gpu.servers.front();
  // No refill is immediate where the engine needs time.
  const Refill refill = server.engine ? Refill::lazy : system.policy.refill;
  const StreamOrder found =
      search_stream_order(server, {system.policy.levels, refill, gpu.costs_are_tight}, watch);
  const System complete = with_order(system, tasks_of(server, found.order));
  const std::string tried = with_thousands(static_cast<std::uint64_t>(found.tried));
  if (found.found) {
    accept(plan, complete, "a search over the orders of priorities (" + tried + " levels tried)", watch);
    return;
  }
  plan.searched = "orders of priorities, least urgent level first: " + tried + " levels tried" +
                  (found.complete ? ", which rules out every order" : ", then the search was given up");
  plan.why_not =
      found.complete ? "no order of priorities holds" : "no order of priorities that holds was found";
  if (found.fails) {
    plan.fails = Shortfall{system.tasks[server.tasks[*found.fails].task].name, found.by};
    plan.why_not +=
        "; in the order that came furthest '" + plan.fails->task + "' fails, and " + amount(*plan.fails);
  }
}

/// The counted form alone: its terms do not depend on the order.
GpuServers with_counted_engine(const System& system, GpuServers gpu) {
  const std::int32_t levels = system.policy.strategy->has_levels ? system.policy.levels : 1;
  std::optional<GpuServers> counted = analysis::count_engine(
      std::move(gpu), analysis::engine_load(system, analysis::EngineUnit::job), levels);
  return counted ? *std::move(counted) : GpuServers{"the engine cannot keep up with the releases"};
}

}  // namespace

void plan_streams(Plan& plan, const System& system, const Watch& watch) {
  const std::vector<TaskIndex> given = order_of_file(system);
  plan.has_priorities = true;
  if (has_distinct_priorities(system)) {
    if (accept(plan, system, "the priorities of the file", watch)) return;
  } else if (gives_priorities(system) &&
             accept(plan, with_order(system, given), "the priorities of the file, ties broken", watch)) {
    return;
  }
  const System by_deadline = with_order(system, deadline_monotonic_order(system));
  if (accept(plan, by_deadline, "deadline-monotonic", watch)) return;
  const bool single = !system.policy.strategy->has_levels;
  GpuServers gpu =
      single ? analysis::single_stream_servers(by_deadline) : analysis::multi_stream_servers(by_deadline);
  if (gpu.why_not.empty() && has_engine_time(system)) gpu = with_counted_engine(by_deadline, std::move(gpu));
  if (!gpu.why_not.empty()) {
    plan.why_not = objections(by_deadline, analysis::check(by_deadline));
    return;
  }
  if (single) {
    plan_single_stream(plan, system, gpu.servers.front(), watch);
  } else {
    plan_multi_stream(plan, system, gpu, watch);
  }
  if (!plan.found && plan.why_not.empty()) plan.why_not = "the order that was found did not pass the check";
}

}  // namespace tactus::plan
