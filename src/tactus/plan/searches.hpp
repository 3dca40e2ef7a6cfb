// The searches of `plan`, one for each kind of strategy. Each enters what it finds into the plan, or why it
// found nothing.
#pragma once

#include "tactus/plan/plan.hpp"

namespace tactus::plan {

/// Cores, reservations and priorities under `sm-cores`.
void plan_cores(Plan& plan, const System& system, const Watch& watch);

/// Virtual SMs, and where needed priorities and rates, under `federated`. The SMs of the file are kept, and
/// so are its priorities. Without priorities the order of deadlines is tried first and then others.
/// InputError for scripted jobs whose times depend on what is planned.
void plan_federated(Plan& plan, const System& system, const PlanGoals& options, const Watch& watch);

/// Where each node goes to a server of its own, or cores or variants are open: priorities, cores, variants,
/// windows, levels, time slices, virtual SMs.
/// InputError for chains where that search is not about such systems.
void plan_nodes(Plan& plan, const System& system, const PlanGoals& goals, const Watch& watch);

/// The same at the highest common rates, where nodes are timed; deadlines stay. InputError for scripted jobs.
void plan_node_rates(Plan& plan, const System& system, const PlanGoals& goals, const Watch& watch);

/// InputError: chains can be made short for other systems only.
inline bool must_shorten_chains(const PlanGoals& goals) {
  return !goals.shortest_chains.empty() && !goals.shortest_if_possible;
}

[[noreturn]] void refuse_shortest_chains();

/// InputError where a task has scripted jobs, which belong to one period and one number of virtual SMs.
void refuse_scripts(const System& system);

/// Priorities under `single-stream` and `multi-stream` with order `fp`: those of the file if they hold, else
/// deadline-monotonic ones, else those that a search finds.
void plan_streams(Plan& plan, const System& system, const Watch& watch);

}  // namespace tactus::plan
