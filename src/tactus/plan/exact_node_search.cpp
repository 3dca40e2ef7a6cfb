#include "tactus/plan/exact_node_search.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "tactus/analysis/check.hpp"
#include "tactus/analysis/effort.hpp"

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
        gpu_tasks_{choices.gpu_order(choices.first())},
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
        if (look_alone(root)) descend({root}, share * static_cast<double>(i), share);
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
  /// Tasks that are placed. Their order matters only between tasks that share a server by priority: these
  /// pairs are decided one by one, and `order` is one that agrees with all of them.
  struct Branch {
    NodeCandidate candidate;
    std::vector<TaskIndex> order{};                          // the most urgent first
    std::vector<TaskIndex> gpu_order{};                      // of GPU work, where it may be another
    std::vector<std::pair<TaskIndex, TaskIndex>> decided{};  // the first before the second
    Int128 latency = 0;                                      // at the least
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

  /// Ends with the watch, too.
  [[nodiscard]] analysis::CheckResult checked(const System& system) const {
    try {
      const analysis::StepsWatched watched{watch_};
      return analysis::check(system);
    } catch (const analysis::WorkStopped&) {
      throw LimitReached{};
    }
  }

  /// What each task takes at the most; nothing where the system is not accepted.
  std::optional<Responses> responses_in(const System& system) {
    if (watch_.stopped() || (goal_.limit > 0 && result_.checked == goal_.limit)) throw LimitReached{};
    ++result_.checked;
    const analysis::CheckResult result = checked(system);
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
    return std::all_of(to_place_.begin(), to_place_.end(), [&](TaskIndex task) {
      const std::optional<Duration> time = time_alone(root, task);
      alone_[task] = time.value_or(Duration{});
      return time.has_value();
    });
  }

  /// With the variant and on the core that are best for it; nothing where it is late with all of them.
  std::optional<Duration> time_alone(const NodeCandidate& root, TaskIndex task) {
    std::optional<Duration> shortest;
    for_each_choice(root, task, {}, [&](const NodeCandidate& candidate) {
      const std::optional<System> system = with_one(candidate, task);
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
      std::optional<System> system = with_one(candidate, task);
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

  /// One task alone.
  [[nodiscard]] std::optional<System> with_one(const NodeCandidate& candidate, TaskIndex task) const {
    return choices_.with_tasks(candidate, kept({task}));
  }

  /// The tasks that are placed, without the others.
  [[nodiscard]] std::optional<System> with_placed(const Branch& branch) const {
    return choices_.with_tasks(ordered(branch), kept(branch.order));
  }

  [[nodiscard]] NodeCandidate ordered(const Branch& branch) const {
    NodeCandidate candidate = branch.candidate;
    if (!choices_.has_orders()) return candidate;
    candidate.order = branch.order;
    for (const TaskIndex task : to_place_) {
      if (!is_among(branch.order, task)) candidate.order.push_back(task);
    }
    if (choices_.has_gpu_orders() && branch.gpu_order != choices_.gpu_order(candidate)) {
      candidate.gpu_order = branch.gpu_order;
    }
    return candidate;
  }

  static bool is_among(const std::vector<TaskIndex>& tasks, TaskIndex task) {
    return std::find(tasks.begin(), tasks.end(), task) != tasks.end();
  }

  /// What the chains take at the least with these tasks placed; nothing where that cannot hold.
  std::optional<Int128> check(const Branch& branch) {
    const std::optional<System> system = with_placed(branch);
    if (!system) return std::nullopt;
    Responses all{alone_.begin(), alone_.end()};
    const bool is_last = branch.order.size() == to_place_.size();
    if (is_last || is_by_node(*system)) {
      const std::optional<Responses> responses = responses_in(*system);
      if (!responses) return std::nullopt;
      for (const TaskIndex task : branch.order) all[task] = in_system(*responses, branch.order, task);
    }
    if (is_last && !choices_.complete(ordered(branch))) return std::nullopt;
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

  // Places in the order.

  /// Whether some server serves both by priority; the GPU counts where it has no order of its own.
  [[nodiscard]] bool share_a_server(const System& system, TaskIndex a, TaskIndex b) const {
    const Policy& policy = system.policy;
    for (const Node& one : system.tasks[a].work.nodes) {
      for (const Node& other : system.tasks[b].work.nodes) {
        const ServerKind kind = server_of(one.segment);
        if (kind != server_of(other.segment)) continue;
        if (kind == ServerKind::cpu && cores_of(system, a, one) != cores_of(system, b, other)) continue;
        if (kind == ServerKind::cpu && cpu_policy(policy).order != Order::fp) continue;
        if (kind == ServerKind::copy && copy_order(policy) != CopyOrder::fp) continue;
        if (kind == ServerKind::gpu && (!policy.strategy->has_order || choices_.has_gpu_orders())) continue;
        return true;
      }
    }
    return false;
  }

  /// The placed tasks with which this one shares a server by priority, in their order.
  [[nodiscard]] std::vector<TaskIndex> neighbours(const Branch& branch, TaskIndex task) const {
    std::vector<TaskIndex> with = branch.order;
    with.push_back(task);
    Branch unordered = branch;
    unordered.order = with;
    const std::optional<System> system = with_placed(unordered);
    if (!system) return {};
    const std::vector<bool> there = kept(with);
    const auto index = [&](TaskIndex one) {
      return static_cast<TaskIndex>(std::count(there.begin(), there.begin() + one, true));
    };
    std::vector<TaskIndex> found;
    for (const TaskIndex other : branch.order) {
      if (share_a_server(*system, index(task), index(other))) found.push_back(other);
    }
    return found;
  }

  /// Those before which these must come, and these, in the order of the branch.
  [[nodiscard]] static std::vector<TaskIndex> with_all_before(const Branch& branch,
                                                              std::vector<TaskIndex> tasks) {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      for (const auto& [before, after] : branch.decided) {
        if (after == tasks[i] && !is_among(tasks, before)) tasks.push_back(before);
      }
    }
    std::vector<TaskIndex> in_order;
    std::copy_if(branch.order.begin(), branch.order.end(), std::back_inserter(in_order),
                 [&](TaskIndex task) { return is_among(tasks, task); });
    return in_order;
  }

  /// The task after some of its neighbours and before the rest.
  [[nodiscard]] static Branch placed_after(const Branch& branch, TaskIndex task,
                                           const std::vector<TaskIndex>& first,
                                           const std::vector<TaskIndex>& neighbours) {
    Branch next = branch;
    next.order = with_all_before(branch, first);
    next.order.push_back(task);
    for (const TaskIndex other : branch.order) {
      if (!is_among(next.order, other)) next.order.push_back(other);
    }
    for (const TaskIndex other : neighbours) {
      next.decided.emplace_back(is_among(first, other) ? std::pair{other, task} : std::pair{task, other});
    }
    return next;
  }

  /// All ways to decide between a task and its neighbours: every set of them may come first that holds
  /// whoever of them comes before one of it.
  template <class Visit>
  void for_each_order(const Branch& branch, TaskIndex task, const Visit& visit) const {
    if (!choices_.has_orders()) {
      visit(placed_after(branch, task, branch.order, {}));
      return;
    }
    const std::vector<TaskIndex> all = neighbours(branch, task);
    const auto choose = [&](const auto& self, std::size_t i, const std::vector<TaskIndex>& first) -> void {
      if (i == all.size()) {
        visit(placed_after(branch, task, first, all));
        return;
      }
      self(self, i + 1, first);
      const std::vector<TaskIndex> before = with_all_before(branch, {all[i]});
      const bool may_come_first = std::none_of(before.begin(), before.end(), [&](TaskIndex other) {
        return other != all[i] && is_among(all, other) && !is_among(first, other);
      });
      if (!may_come_first) return;
      std::vector<TaskIndex> more = first;
      more.push_back(all[i]);
      self(self, i + 1, more);
    };
    choose(choose, 0, {});
  }

  /// All places of its GPU work among that of others, where that has an order of its own.
  template <class Visit>
  void for_each_gpu_order(const Branch& branch, TaskIndex task, const Visit& visit) const {
    if (!choices_.has_gpu_orders() || !is_among(gpu_tasks_, task)) {
      visit(branch);
      return;
    }
    for (std::size_t place = 0; place <= branch.gpu_order.size(); ++place) {
      Branch next = branch;
      next.gpu_order.insert(next.gpu_order.begin() + static_cast<std::ptrdiff_t>(place), task);
      visit(next);
    }
  }

  // The tree.

  [[nodiscard]] bool is_of_use(Int128 latency) const {
    return !result_.best || (!goal_.chains.empty() && latency < result_.latency);
  }

  void descend(const Branch& branch, double begin, double share) {
    if (!is_of_use(branch.latency)) return;
    if (branch.order.size() == to_place_.size()) {
      result_.best = ordered(branch);
      result_.latency = branch.latency;
      return;
    }
    const TaskIndex task = to_place_[branch.order.size()];
    std::vector<Branch> next;
    const auto look_at = [&](Branch one) {
      const std::optional<Int128> latency = check(one);
      if (!latency || !is_of_use(*latency)) return;
      one.latency = *latency;
      next.push_back(std::move(one));
    };
    for_each_choice(branch.candidate, task, branch.order, [&](const NodeCandidate& candidate) {
      Branch chosen = branch;
      chosen.candidate = candidate;
      for_each_gpu_order(chosen, task, [&](const Branch& on_gpu) { for_each_order(on_gpu, task, look_at); });
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
  std::vector<TaskIndex> gpu_tasks_;                  // that may have work on the GPU
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
