// Finds parameters with which a sound analysis of the strategy proves the system schedulable.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tactus/analysis/effect_chains.hpp"
#include "tactus/base/time.hpp"
#include "tactus/base/watch.hpp"
#include "tactus/model/system.hpp"

namespace tactus::plan {

/// A task in a plan that was found.
struct TaskPlan {
  std::string name;
  std::optional<Duration> deadline;
  std::optional<Duration> bound;   // the smallest that a sound analysis proves
  bool deadline_only = false;      // the bound is the deadline: no response time is proven
  std::optional<Duration> margin;  // deadline - bound
  /// By how much the deadline of this task alone may shrink so that the accepting analysis still accepts.
  /// It says more than the margin where that analysis proves deadlines and no response times.
  std::optional<Duration> can_shrink;
};

/// The task that fails, where nothing was found.
struct Shortfall {
  std::string task;
  std::optional<Duration> by;  // nothing: the amount is not known
};

/// SMs of the GPU that a plan uses.
struct SmUse {
  std::int64_t used = 0;
  std::int64_t available = 0;
  /// Only where the fewest were requested: whether it is proven that no test accepts fewer.
  std::optional<bool> fewest;
};

/// How much the rates of the file are raised. Factors are in thousandths.
struct RatePlan {
  std::int64_t factor = 0;
  /// All larger factors up to this one were tried and failed; the factor itself where none was tried.
  std::int64_t fails_to = 0;
  bool largest = false;              // no larger one can hold
  bool gave_up = false;              // for some of those tried, the search gave up
  std::vector<std::string> tasks{};  // whose rates; empty: all
};

/// What a plan optimises.
struct PlanGoals {
  bool fewest_sms = false;  // where tasks have SMs of their own
  /// The largest common factor for all rates, before the fewest SMs; there, and where nodes are timed.
  /// Deadlines are divided by it, too, but stay where nodes are timed.
  bool fastest = false;
  std::vector<TaskIndex> fastest_of{};  // only these; empty: all
  /// Where each segment goes to a server of its own: chains that take as little as can be, together.
  std::vector<std::size_t> shortest_chains{};
  /// Where that cannot be asked for, any plan will do, instead of an InputError.
  bool shortest_if_possible = false;
  /// How long all choices are gone through, for this or where nothing else found anything; nothing: until a
  /// number of them was tried. Then, how long it is measured by how much deadlines can shrink; nothing: until
  /// that is known.
  std::optional<std::chrono::nanoseconds> time_limit{};
  bool measures_shrink = true;  // TaskPlan::can_shrink
};

/// What the chains of a plan take that should be short.
struct ShortestPlan {
  std::vector<std::string> chains;
  Duration together{};    // the sum of their bounds
  bool is_least = false;  // no choice makes it less
};

struct Plan {
  std::string system;
  bool found = false;
  bool interrupted = false;
  /// The system with every parameter. Only where found.
  System planned;
  /// Which of its parameters a plan is about; each as in `planned`.
  bool has_reservations = false;
  bool has_priorities = false;
  bool has_gpu_priorities = false;
  bool has_cores = false;
  bool has_virtual_sms = false;
  bool has_cpu_cores = false;
  bool has_strategy = false;  // the strategy and its order, too
  bool has_policy = false;    // levels, the time slice, or order, clusters and parallel jobs
  /// By task: the variant of each part of its work that has several; empty where none has.
  std::vector<std::vector<std::size_t>> variants;
  std::optional<SmUse> sms;                      // federated
  std::optional<RatePlan> rate;                  // where the fastest was requested
  std::optional<ShortestPlan> shortest{};        // where that was requested
  std::string accepted_by;                       // id of the analysis that proves it
  std::string how;                               // how the parameters were found
  std::vector<TaskPlan> tasks;                   // file order; bounds and margins only where found
  std::vector<analysis::EffectResult> chains{};  // only where found
  std::string searched;                          // what was searched, where nothing was found
  std::optional<Shortfall> fails;                // at the best candidate
  std::string why_not;
};

/// Whether the fastest rates can be asked for.
bool can_scale_rates(const StrategyFacts& strategy);

/// Plans a system that may lack the parameters `tactus plan` finds. InputError for strategies that cannot be
/// planned, or not with these options.
Plan plan(const System& system, const Watch& watch = {}, const PlanGoals& options = {});

}  // namespace tactus::plan
