#include "tactus/plan/node_placement.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace tactus::plan {

namespace {

using Kind = Dimension::Kind;

/// In millionths of a core, of the variant that is in the work.
std::int64_t cpu_load(const Task& task) {
  constexpr Int128 million = 1'000'000;
  if (!task.period) return 0;
  Int128 time = 0;
  for (const Node& node : task.work.nodes) {
    if (server_of(node.segment) == ServerKind::cpu) time += drawn_time(node.segment).worst.count();
  }
  return static_cast<std::int64_t>(std::min<Int128>(time * million / task.period->count(), 100 * million));
}

class Placement {
 public:
  explicit Placement(NodeTrials& trials)
      : trials_{trials},
        choices_{trials.choices()},
        are_alike_{cpu_policy(choices_.system().policy).scope == CpuScope::partitioned} {}

  NodeCandidate run(NodeCandidate candidate, Fit fit) {
    std::vector<std::size_t> open;
    std::vector<bool> apart(choices_.dimensions().size());
    for (std::size_t i = 0; i < apart.size(); ++i) {
      if (choices_.dimensions()[i].kind != Kind::core) continue;
      open.push_back(i);
      apart[i] = true;
    }
    const std::optional<System> system = choices_.with_cores_apart(candidate, apart);
    if (!system) return candidate;
    const auto load_of = [&](std::size_t i) {
      return cpu_load(system->tasks[choices_.dimensions()[i].task]);
    };
    std::stable_sort(open.begin(), open.end(),
                     [&](std::size_t a, std::size_t b) { return load_of(a) > load_of(b); });
    std::vector<std::int64_t> loads = loads_of_fixed_tasks(*system);
    for (const std::size_t i : open) {
      apart[i] = false;
      candidate.values[i] = place(candidate, i, apart, fit, loads);
      loads[candidate.values[i]] += load_of(i);
    }
    return candidate;
  }

 private:
  [[nodiscard]] std::vector<std::int64_t> loads_of_fixed_tasks(const System& system) const {
    std::vector<std::int64_t> loads(
        std::max<std::size_t>(1, static_cast<std::size_t>(system.platform.cpus())));
    for (std::size_t i = 0; i < system.tasks.size(); ++i) {
      if (choices_.system().tasks[i].any_core) continue;
      if (are_alike_) loads[static_cast<std::size_t>(system.tasks[i].core)] += cpu_load(system.tasks[i]);
    }
    return loads;
  }

  std::size_t place(NodeCandidate candidate, std::size_t dimension, const std::vector<bool>& apart, Fit fit,
                    const std::vector<std::int64_t>& loads) {
    std::vector<std::size_t> cores = choices_.places_for(candidate, dimension);
    if (cores.empty()) return 0;
    if (fit == Fit::worst) {
      std::stable_sort(cores.begin(), cores.end(),
                       [&](std::size_t a, std::size_t b) { return loads[a] < loads[b]; });
    }
    if (!may_judge_places()) return by_load(cores, loads, fit);
    std::optional<NodeJudgement> nearest;
    std::size_t best = cores.front();
    std::vector<std::size_t> empty;
    for (const std::size_t core : cores) {
      const bool is_empty = are_alike_ && loads[core] == 0;
      const bool is_known = is_empty && std::any_of(empty.begin(), empty.end(), [&](std::size_t other) {
                              return choices_.are_alike(core, other);
                            });
      if (is_known) continue;  // the same as one before
      if (is_empty) empty.push_back(core);
      candidate.values[dimension] = core;
      NodeJudgement judgement = trials_.judge_apart(candidate, apart);
      forget_tasks_apart(judgement, apart);
      if (nearest && !is_nearer(judgement, *nearest)) continue;
      nearest = judgement;
      best = core;
      if (judgement.excess == 0) break;
    }
    return best;
  }

  /// Whether the limit allows to judge every core for every task, several times.
  [[nodiscard]] bool may_judge_places() const {
    std::int64_t places = 0;
    for (const Dimension& dimension : choices_.dimensions()) {
      if (dimension.kind == Kind::core) places += static_cast<std::int64_t>(dimension.size);
    }
    return places <= trials_.limit() / 8;
  }

  /// The first core with room for more, or the one with the least load.
  static std::size_t by_load(const std::vector<std::size_t>& cores, const std::vector<std::int64_t>& loads,
                             Fit fit) {
    constexpr std::int64_t most = 700'000;
    const auto has_room = [&](std::size_t core) { return loads[core] < most; };
    const auto first = std::find_if(cores.begin(), cores.end(), has_room);
    if (fit == Fit::first && first != cores.end()) return *first;
    return *std::min_element(cores.begin(), cores.end(),
                             [&](std::size_t a, std::size_t b) { return loads[a] < loads[b]; });
  }

  void forget_tasks_apart(NodeJudgement& judgement, const std::vector<bool>& apart) const {
    for (std::size_t i = 0; i < apart.size(); ++i) {
      if (apart[i]) judgement.excess -= judgement.tasks[choices_.dimensions()[i].task];
    }
  }

  NodeTrials& trials_;
  const NodeChoices& choices_;
  bool are_alike_;  // cores without work; clusters may differ
};

/// Tasks of any core of SMs, by falling work, each on the one that has least.
void spread_over_sms(const NodeChoices& choices, NodeCandidate& candidate, const System& system) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < choices.dimensions().size(); ++i) {
    if (choices.dimensions()[i].kind == Kind::sm_core) open.push_back(i);
  }
  const auto load_of = [&](std::size_t i) {
    const TaskIndex task = choices.dimensions()[i].task;
    Int128 time = 0;
    for (std::size_t node = 0; node < system.tasks[task].work.nodes.size(); ++node) {
      if (server_of(system.tasks[task].work.nodes[node].segment) == ServerKind::gpu) {
        time += whole_time(system, task, node).worst.count();
      }
    }
    return time * 1'000'000 / system.tasks[task].period.value_or(Duration::max()).count();
  };
  std::stable_sort(open.begin(), open.end(),
                   [&](std::size_t a, std::size_t b) { return load_of(a) > load_of(b); });
  std::map<std::size_t, Int128> loads;
  for (const std::size_t i : open) {
    std::size_t best = 0;
    for (std::size_t core = 1; core < choices.dimensions()[i].size && loads[best] > 0; ++core) {
      if (loads[core] < loads[best]) best = core;
    }
    candidate.values[i] = best;
    loads[best] += load_of(i);
  }
}

}  // namespace

NodeCandidate placed_on_cores(NodeTrials& trials, NodeCandidate candidate, Fit fit) {
  return Placement{trials}.run(std::move(candidate), fit);
}

NodeCandidate spread_over_clusters(const NodeChoices& choices, NodeCandidate candidate) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < choices.dimensions().size(); ++i) {
    if (choices.dimensions()[i].kind == Kind::core) open.push_back(i);
  }
  const CpuScope scope = choices.scope(candidate);
  if (open.empty() || scope == CpuScope::partitioned) return candidate;
  std::vector<bool> apart(choices.dimensions().size());
  for (const std::size_t i : open) {
    candidate.values[i] = 0;
    apart[i] = true;
  }
  const std::optional<System> system = choices.with_cores_apart(candidate, apart);
  if (scope == CpuScope::global || !system) return candidate;
  const std::vector<Cores>& places = choices.places();
  std::vector<std::int64_t> loads(places.size());
  for (TaskIndex i = 0; i < system->tasks.size(); ++i) {
    if (choices.system().tasks[i].any_core) continue;
    const auto at = std::find(places.begin(), places.end(), cores_of(*system, i, Node{}));
    if (at != places.end())
      loads[static_cast<std::size_t>(at - places.begin())] += cpu_load(system->tasks[i]);
  }
  const auto load_of = [&](std::size_t i) { return cpu_load(system->tasks[choices.dimensions()[i].task]); };
  std::stable_sort(open.begin(), open.end(),
                   [&](std::size_t a, std::size_t b) { return load_of(a) > load_of(b); });
  for (const std::size_t i : open) {
    const auto a_core = [&](std::size_t place) { return (loads[place] + load_of(i)) / places[place].count; };
    const std::vector<std::size_t> possible = choices.places_for(candidate, i);
    if (possible.empty()) continue;
    const std::size_t best =
        *std::min_element(possible.begin(), possible.end(),
                          [&](std::size_t a, std::size_t b) { return a_core(a) < a_core(b); });
    candidate.values[i] = best;
    loads[best] += load_of(i);
  }
  return candidate;
}

NodeCandidate placed_on_gpu(const NodeChoices& choices, NodeCandidate candidate) {
  std::vector<std::size_t> owners;
  for (std::size_t i = 0; i < choices.dimensions().size(); ++i) {
    if (choices.dimensions()[i].kind == Kind::sms) owners.push_back(i);
  }
  std::int64_t left = choices.system().platform.gpu.sms - choices.given_sms();
  for (std::size_t n = 0; n < owners.size(); ++n) {
    const std::int64_t share = std::max<std::int64_t>(left / static_cast<std::int64_t>(owners.size() - n), 1);
    candidate.values[owners[n]] = static_cast<std::size_t>(share - 1);
    left -= share;
  }
  if (const std::optional<System> system = choices.complete(candidate))
    spread_over_sms(choices, candidate, *system);
  return candidate;
}

}  // namespace tactus::plan
