#include "tactus/plan/exact_node_search.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "tactus/analysis/check.hpp"

namespace tactus::plan {

namespace {

using Kind = Dimension::Kind;

struct LimitReached {};

/// What the chains take together, given what the tasks take; nothing where a chain has no bound, or a longer
/// one than its limit.
std::optional<Int128> latency_of(const System& system, const std::vector<std::size_t>& chains,
                                 const std::vector<std::optional<Duration>>& responses) {
  const std::vector<analysis::EffectResult> judged = analysis::judge_chains(system, responses);
  const auto passes = [](const std::optional<Duration>& bound, const std::optional<Duration>& limit) {
    return limit && (!bound || *bound > *limit);
  };
  for (const analysis::EffectResult& one : judged) {
    if (passes(one.reaction_bound, one.reaction_limit) || passes(one.age_bound, one.age_limit)) {
      return std::nullopt;
    }
  }
  Int128 sum = 0;
  for (const std::size_t chain : chains) {
    const analysis::EffectResult& one = judged[chain];
    const std::optional<Duration> bound = one.reaction_bound ? one.reaction_bound : one.age_bound;
    if (!bound) return std::nullopt;
    sum += bound->count();
  }
  return sum;
}

/// Of a task, in millionths of the time; for the order in which tasks are placed.
std::int64_t load_of(const System& system, TaskIndex task) {
  constexpr Int128 million = 1'000'000;
  Int128 time = 0;
  for (std::size_t node = 0; node < system.tasks[task].work.nodes.size(); ++node) {
    time += whole_time(system, task, node).worst.count();
  }
  const Duration period = system.tasks[task].period.value_or(Duration::max());
  return static_cast<std::int64_t>(std::min<Int128>(time * million / period.count(), 100 * million));
}

class Branches {
 public:
  Branches(const NodeChoices& choices, const ExactGoal& goal, const Watch& watch)
      : choices_{choices},
        goal_{goal},
        watch_{watch},
        alone_(choices.system().tasks.size()),
        dimensions_(choices.system().tasks.size()) {
    const System& system = choices.system();
    for (std::size_t i = 0; i < choices.dimensions().size(); ++i) {
      const Dimension& one = choices.dimensions()[i];
      if (one.kind != Kind::policy) dimensions_[one.task].push_back(i);
    }
    for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
      (is_ordered(i) ? to_place_ : always_placed_).push_back(i);
    }
    std::stable_sort(to_place_.begin(), to_place_.end(),
                     [&](TaskIndex a, TaskIndex b) { return load_of(system, a) > load_of(system, b); });
  }

  ExactResult run() {
    try {
      if (goal_.first) note_first();
      const std::vector<std::size_t> policies = policies_to_look_at();
      for (std::size_t i = 0; i < policies.size() && (i == 0 || !result_.best); ++i) {
        const double share = 1.0 / static_cast<double>(policies.size());
        NodeCandidate root = choices_.first();
        if (choices_.has(Kind::policy)) root.values.front() = policies[i];
        if (look_alone(root)) descend({root, {}}, share * static_cast<double>(i), share);
      }
      result_.is_complete = true;
    } catch (const LimitReached&) {
      // What was found until then.
    }
    return std::move(result_);
  }

  std::optional<System> late_alone() {
    const std::vector<std::size_t> policies = policies_to_look_at();
    for (const TaskIndex task : to_place_) {
      const bool is_late = std::none_of(policies.begin(), policies.end(), [&](std::size_t policy) {
        NodeCandidate root = choices_.first();
        if (choices_.has(Kind::policy)) root.values.front() = policy;
        return time_alone(root, task).has_value();
      });
      if (!is_late) continue;
      if (std::optional<System> system = least_alone(task)) return system;
    }
    return std::nullopt;
  }

 private:
  /// Tasks that are placed, the most urgent first.
  struct Branch {
    NodeCandidate candidate;
    std::vector<TaskIndex> placed;
    Int128 latency = 0;  // at the least
  };

  /// All; or that of what holds already.
  [[nodiscard]] std::vector<std::size_t> policies_to_look_at() const {
    if (!choices_.has(Kind::policy)) return {0};
    if (goal_.first) return {goal_.first->values.front()};
    std::vector<std::size_t> all(choices_.dimensions().front().size);
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }

  void note_first() {
    const std::optional<System> system = choices_.complete(*goal_.first);
    const std::optional<Responses> responses = system ? responses_in(*system) : std::nullopt;
    const std::optional<Int128> latency =
        responses ? latency_of(choices_.system(), goal_.chains, *responses) : std::nullopt;
    if (!latency) return;
    result_.best = goal_.first;
    result_.latency = *latency;
  }

  using Responses = std::vector<std::optional<Duration>>;

  /// What each task takes at the most; nothing where the system is not accepted.
  std::optional<Responses> responses_in(const System& system) {
    if (watch_.stopped() || (goal_.limit > 0 && result_.checked == goal_.limit)) throw LimitReached{};
    ++result_.checked;
    const analysis::CheckResult result = analysis::check(system);
    if (result.verdict != analysis::Verdict::schedulable) return std::nullopt;
    Responses responses;
    for (const analysis::ProvenBound& one : analysis::proven_bounds(system, result)) {
      responses.push_back(one.bound);
    }
    return responses;
  }

  // Tasks that are not placed.

  /// What each task takes with the machine to itself. False where one is late even so.
  bool look_alone(const NodeCandidate& root) {
    alone_.assign(alone_.size(), Duration{});
    for (const TaskIndex task : to_place_) {
      const std::optional<Duration> time = time_alone(root, task);
      if (!time) return false;
      alone_[task] = *time;
    }
    return true;
  }

  /// With the variant and on the core that are best for it; nothing where it is late with all of them.
  std::optional<Duration> time_alone(const NodeCandidate& root, TaskIndex task) {
    std::optional<Duration> shortest;
    for_each_choice(root, task, {}, [&](const NodeCandidate& candidate) {
      const std::optional<System> system = with_placed(candidate, {task});
      if (!system) return;
      if (!is_by_node(*system)) {  // then it is about jobs that are served whole, which may take longer
        shortest = Duration{};
        return;
      }
      const std::optional<Responses> responses = responses_in(*system);
      if (!responses) return;
      const Duration one = in_system(*responses, {task}, task).value_or(Duration{});
      shortest = std::min(shortest.value_or(one), one);
    });
    return shortest;
  }

  /// The task alone where it has least to do.
  [[nodiscard]] std::optional<System> least_alone(TaskIndex task) const {
    std::optional<System> least;
    std::int64_t least_load = 0;
    for_each_choice(choices_.first(), task, {}, [&](const NodeCandidate& candidate) {
      std::optional<System> system = with_placed(candidate, {task});
      if (!system) return;
      const std::vector<bool> there = kept({task});
      const auto index = static_cast<TaskIndex>(std::count(there.begin(), there.begin() + task, true));
      const std::int64_t load = load_of(*system, index);
      if (least && load >= least_load) return;
      least = std::move(system);
      least_load = load;
    });
    return least;
  }

  [[nodiscard]] std::vector<bool> kept(const std::vector<TaskIndex>& placed) const {
    std::vector<bool> kept(alone_.size());
    for (const TaskIndex task : placed) kept[task] = true;
    for (const TaskIndex task : always_placed_) kept[task] = true;
    return kept;
  }

  /// Of a system with these tasks only, what one of them takes.
  [[nodiscard]] std::optional<Duration> in_system(const Responses& responses,
                                                  const std::vector<TaskIndex>& placed,
                                                  TaskIndex task) const {
    const std::vector<bool> there = kept(placed);
    return responses[static_cast<std::size_t>(std::count(there.begin(), there.begin() + task, true))];
  }

  /// The candidate without the tasks that are not placed.
  [[nodiscard]] std::optional<System> with_placed(const NodeCandidate& candidate,
                                                  const std::vector<TaskIndex>& placed) const {
    return choices_.with_tasks(ordered(candidate, placed), kept(placed));
  }

  [[nodiscard]] NodeCandidate ordered(NodeCandidate candidate, const std::vector<TaskIndex>& placed) const {
    if (!choices_.has_orders()) return candidate;
    candidate.order = placed;
    for (const TaskIndex task : to_place_) {
      if (std::find(placed.begin(), placed.end(), task) == placed.end()) candidate.order.push_back(task);
    }
    return candidate;
  }

  /// What the chains take at the least with these tasks placed; nothing where that cannot hold.
  std::optional<Int128> check(const NodeCandidate& candidate, const std::vector<TaskIndex>& placed) {
    const std::optional<System> system = with_placed(candidate, placed);
    if (!system) return std::nullopt;
    Responses all{alone_.begin(), alone_.end()};
    const bool is_last = placed.size() == to_place_.size();
    if (is_last || is_by_node(*system)) {
      const std::optional<Responses> responses = responses_in(*system);
      if (!responses) return std::nullopt;
      for (const TaskIndex task : placed) all[task] = in_system(*responses, placed, task);
    }
    if (is_last && !choices_.complete(ordered(candidate, placed))) return std::nullopt;
    return latency_of(choices_.system(), goal_.chains, all);
  }

  // Choices of one task.

  [[nodiscard]] bool is_ordered(TaskIndex task) const {
    return choices_.system().tasks[task].arrival != Arrival::best_effort;
  }

  /// All variants and cores of a task; of cores that are alike and have no work yet the first.
  template <class Visit>
  void for_each_choice(const NodeCandidate& from, TaskIndex task, const std::vector<TaskIndex>& placed,
                       const Visit& visit) const {
    NodeCandidate candidate = from;
    const std::vector<std::size_t>& own = dimensions_[task];
    for (const std::size_t i : own) candidate.values[i] = 0;
    const std::vector<bool> used = used_places(from, placed);
    while (true) {
      if (is_first_of_its_kind(candidate, own, used)) visit(candidate);
      std::size_t i = 0;
      while (i < own.size() && ++candidate.values[own[i]] == choices_.dimensions()[own[i]].size) {
        candidate.values[own[i++]] = 0;
      }
      if (i == own.size()) return;
    }
  }

  [[nodiscard]] std::vector<bool> used_places(const NodeCandidate& candidate,
                                              const std::vector<TaskIndex>& placed) const {
    const std::vector<Cores>& places = choices_.places();
    std::vector<bool> used(places.size());
    const auto use = [&](std::int32_t core) {
      for (std::size_t i = 0; i < places.size(); ++i) {
        if (core >= places[i].first && core < places[i].end()) used[i] = true;
      }
    };
    for (const Task& task : choices_.system().tasks) {
      if (!task.any_core) use(task.core);
      for (const Node& node : task.work.nodes) {
        if (node.core) use(*node.core);
      }
    }
    for (const TaskIndex task : placed) {
      for (const std::size_t i : dimensions_[task]) {
        if (choices_.dimensions()[i].kind == Kind::core) used[candidate.values[i]] = true;
      }
    }
    return used;
  }

  [[nodiscard]] bool is_first_of_its_kind(const NodeCandidate& candidate, const std::vector<std::size_t>& own,
                                          const std::vector<bool>& used) const {
    for (const std::size_t i : own) {
      if (choices_.dimensions()[i].kind != Kind::core) continue;
      const std::size_t place = candidate.values[i];
      if (choices_.scope(candidate) == CpuScope::global && place > 0) return false;
      for (std::size_t other = 0; other < place && !used[place]; ++other) {
        if (!used[other] && choices_.are_alike(other, place)) return false;
      }
    }
    return true;
  }

  /// Whether some server serves both by priority.
  [[nodiscard]] static bool share_a_server(const System& system, TaskIndex a, TaskIndex b) {
    const Policy& policy = system.policy;
    for (const Node& one : system.tasks[a].work.nodes) {
      for (const Node& other : system.tasks[b].work.nodes) {
        const ServerKind kind = server_of(one.segment);
        if (kind != server_of(other.segment)) continue;
        if (kind == ServerKind::cpu && cores_of(system, a, one) != cores_of(system, b, other)) continue;
        if (kind == ServerKind::cpu && cpu_policy(policy).order != Order::fp) continue;
        if (kind == ServerKind::copy && copy_order(policy) != CopyOrder::fp) continue;
        if (kind == ServerKind::gpu && !policy.strategy->has_order) continue;
        return true;
      }
    }
    return false;
  }

  /// The places for a task in the order, each of which makes another system: directly above a task with which
  /// it shares a server, or below all.
  [[nodiscard]] std::vector<std::size_t> places_in_order(const Branch& branch, const NodeCandidate& candidate,
                                                         TaskIndex task) const {
    const std::size_t last = branch.placed.size();
    if (!choices_.has_orders()) return {last};
    std::vector<TaskIndex> with = branch.placed;
    with.push_back(task);
    const std::optional<System> system = with_placed(candidate, with);
    if (!system) return {};
    const std::vector<bool> there = kept(with);
    const auto index = [&](TaskIndex one) {
      return static_cast<TaskIndex>(std::count(there.begin(), there.begin() + one, true));
    };
    std::vector<std::size_t> places;
    for (std::size_t place = 0; place < last; ++place) {
      if (share_a_server(*system, index(task), index(branch.placed[place]))) places.push_back(place);
    }
    places.push_back(last);
    return places;
  }

  // The tree.

  [[nodiscard]] bool is_of_use(Int128 latency) const {
    return !result_.best || (!goal_.chains.empty() && latency < result_.latency);
  }

  void descend(const Branch& branch, double begin, double share) {
    if (!is_of_use(branch.latency)) return;
    if (branch.placed.size() == to_place_.size()) {
      result_.best = branch.candidate;
      if (choices_.has_orders()) result_.best->order = branch.placed;
      result_.latency = branch.latency;
      return;
    }
    const TaskIndex task = to_place_[branch.placed.size()];
    std::vector<Branch> next;
    for_each_choice(branch.candidate, task, branch.placed, [&](const NodeCandidate& candidate) {
      for (const std::size_t place : places_in_order(branch, candidate, task)) {
        Branch one{candidate, branch.placed};
        one.placed.insert(one.placed.begin() + static_cast<std::ptrdiff_t>(place), task);
        const std::optional<Int128> latency = check(candidate, one.placed);
        if (!latency || !is_of_use(*latency)) continue;
        one.latency = *latency;
        next.push_back(std::move(one));
      }
    });
    std::stable_sort(next.begin(), next.end(),
                     [](const Branch& a, const Branch& b) { return a.latency < b.latency; });
    const double part = share / static_cast<double>(std::max<std::size_t>(next.size(), 1));
    for (std::size_t i = 0; i < next.size(); ++i) {
      descend(next[i], begin + part * static_cast<double>(i), part);
      watch_.show(begin + part * static_cast<double>(i + 1));
    }
  }

  const NodeChoices& choices_;
  const ExactGoal& goal_;
  const Watch& watch_;
  std::vector<TaskIndex> to_place_;                   // those that need most first
  std::vector<TaskIndex> always_placed_;              // best-effort tasks
  std::vector<Duration> alone_;                       // what each task takes at the least
  std::vector<std::vector<std::size_t>> dimensions_;  // of each task
  ExactResult result_;
};

}  // namespace

bool has_exact_search(const NodeChoices& choices) {
  const System& system = choices.system();
  if (system.policy.strategy->times_nodes || has_engine_time(system)) return false;
  if (choices.has(Kind::sm_core) || choices.has(Kind::sms)) return false;
  // Stand-ins have CPU work, and so must the rest: where none is left, jobs may be served whole.
  const bool is_by_node = system.policy.strategy->handed == Handed::nodes ||
                          std::any_of(system.tasks.begin(), system.tasks.end(), [](const Task& task) {
                            return task.choices.empty() && may_have(task, [](const Segment& segment) {
                                     return server_of(segment) == ServerKind::cpu;
                                   });
                          });
  if (!is_by_node) return false;
  return std::none_of(choices.dimensions().begin(), choices.dimensions().end(), [&](const Dimension& one) {
    return one.kind != Kind::policy && system.tasks[one.task].arrival == Arrival::best_effort;
  });
}

ExactResult search_exactly(const NodeChoices& choices, const ExactGoal& goal, const Watch& watch) {
  return Branches{choices, goal, watch}.run();
}

std::optional<System> find_late_alone(const NodeChoices& choices, const Watch& watch) {
  const ExactGoal goal;
  try {
    return Branches{choices, goal, watch}.late_alone();
  } catch (const LimitReached&) {
    return std::nullopt;
  }
}

}  // namespace tactus::plan
