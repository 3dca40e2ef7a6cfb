#include "tactus/plan/node_search.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "tactus/plan/audsley.hpp"
#include "tactus/plan/node_judge.hpp"
#include "tactus/plan/node_moves.hpp"
#include "tactus/plan/priorities.hpp"

namespace tactus::plan {

namespace {

using Kind = Dimension::Kind;

constexpr std::size_t max_settings = 256;  // policies and variants that are all looked at
constexpr std::size_t kept_settings = 12;
constexpr std::size_t kept_starts = 4;
constexpr int rounds_without_gain = 8;

enum class Fit : std::uint8_t { first, worst };

/// Thrown when a candidate holds, and when the limit is reached.
struct SearchOver {};

bool is_nearer(const NodeJudgement& a, const NodeJudgement& b) {
  if (a.ruled_out != b.ruled_out) return !a.ruled_out;
  if (a.excess != b.excess) return a.excess < b.excess;
  return a.gpu_load < b.gpu_load;
}

/// D - the worst case of all work in a row, shortest first.
std::vector<TaskIndex> slack_order(const System& system) {
  std::vector<TaskIndex> order = deadline_monotonic_order(system);
  std::vector<Int128> slack(system.tasks.size());
  for (const TaskIndex task : order) {
    slack[task] = system.tasks[task].deadline.value_or(Duration::max()).count();
    for (std::size_t node = 0; node < system.tasks[task].work.nodes.size(); ++node) {
      slack[task] -= whole_time(system, task, node).worst.count();
    }
  }
  std::stable_sort(order.begin(), order.end(), [&](TaskIndex a, TaskIndex b) { return slack[a] < slack[b]; });
  return order;
}

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

class Search {
 public:
  Search(const NodeChoices& choices, const Watch& watch)
      : choices_{choices}, watch_{watch}, limit_{max_node_candidates(choices.system().tasks.size())} {}

  NodeSearchResult run() {
    try {
      try_all_steps();
    } catch (const SearchOver&) {
      // The result says which of the two it was.
    }
    return std::move(result_);
  }

 private:
  struct Setting {
    NodeCandidate candidate;
    NodeJudgement judgement;
  };

  void try_all_steps() {
    const std::vector<std::vector<TaskIndex>> orders = first_orders(choices_.first());
    const bool places_tasks = choices_.has(Kind::core) || choices_.has(Kind::sm_core);
    if (!places_tasks) {
      for (const std::vector<TaskIndex>& order : orders) {
        NodeCandidate candidate = choices_.first();
        candidate.order = order;
        judge(candidate);
      }
    }
    std::vector<Setting> settings = find_settings();
    if (settings.empty()) {
      result_.complete = result_.ruled_out = !skipped_settings_;
      return;
    }
    std::vector<Setting> starts;
    for (const Setting& setting : settings) {
      for (const std::vector<TaskIndex>& order : first_orders(setting.candidate)) {
        NodeCandidate candidate = setting.candidate;
        candidate.order = order;
        for (const Fit fit : {Fit::first, Fit::worst}) {
          if (!places_tasks && fit == Fit::worst) continue;
          const NodeCandidate start = placed(candidate, fit);
          starts.push_back({start, judge(start)});
        }
      }
    }
    sort_by_nearness(starts, kept_starts);
    for (Setting& start : starts) fill_levels(start);
    sort_by_nearness(starts, kept_starts);
    for (std::size_t i = 0; i < starts.size(); ++i) {
      const std::int64_t share = (limit_ - result_.tried) / static_cast<std::int64_t>(starts.size() - i);
      repair(starts[i], std::min(share, limit_ / 3));
    }
    if (choices_.count(limit_) < limit_) try_everything();
  }

  // One candidate.

  NodeJudgement judge(const NodeCandidate& candidate) {
    if (const auto known = known_.find(candidate); known != known_.end()) return known->second;
    stop_if_asked(watch_);
    const std::optional<System> system = choices_.complete(candidate);
    if (!system) return impossible();
    count();
    const NodeJudgement judgement = judge_nodes(*system);
    known_.emplace(candidate, judgement);
    if (judgement.holds || !has_best_ || is_nearer(judgement, result_.judgement)) {
      result_.best = candidate;
      result_.judgement = judgement;
      has_best_ = true;
    }
    if (judgement.holds) {
      result_.found = true;
      throw SearchOver{};
    }
    return judgement;
  }

  void count() {
    if (++result_.tried > limit_) {
      --result_.tried;
      throw SearchOver{};
    }
    constexpr std::int64_t seldom = 16;
    if (result_.tried % seldom == 0) watch_.show(-1);
  }

  [[nodiscard]] NodeJudgement impossible() const {
    NodeJudgement judgement;
    judgement.excess = std::numeric_limits<std::int64_t>::max();
    judgement.tasks.resize(choices_.system().tasks.size());
    judgement.past.resize(choices_.system().tasks.size());
    return judgement;
  }

  /// The priorities of the file, by deadlines, by slack.
  [[nodiscard]] std::vector<std::vector<TaskIndex>> first_orders(const NodeCandidate& candidate) const {
    if (!choices_.has_orders()) return {{}};
    const System& system = choices_.system();
    const std::optional<System> complete = choices_.complete(candidate);
    std::vector<std::vector<TaskIndex>> orders;
    const bool by_priority = system.policy.strategy->has_order && system.policy.order == Order::fp;
    if (has_distinct_priorities(system) || (!by_priority && !gives_priorities(system))) {
      orders.emplace_back();
    } else if (gives_priorities(system)) {
      orders.push_back(order_of_file(system));
    }
    orders.push_back(deadline_monotonic_order(system));
    std::vector<TaskIndex> by_slack = slack_order(complete.value_or(system));
    if (by_slack != orders.back()) orders.push_back(std::move(by_slack));
    return orders;
  }

  // Policies and variants.

  static bool is_setting(const Dimension& dimension) {
    return dimension.kind == Kind::policy || dimension.kind == Kind::variant;
  }

  /// With CPU work that has no core yet on cores of its own. What a necessary test rules out even so is left
  /// out, where every core serves by itself and places on the GPU are given.
  std::vector<Setting> find_settings() {
    std::vector<Setting> settings;
    const bool is_sure = cpu_policy(choices_.system().policy).scope == CpuScope::partitioned &&
                         !choices_.has(Kind::sm_core) && !choices_.has(Kind::sms);
    const auto look_at = [&](const NodeCandidate& candidate) {
      const NodeCandidate spread = with_places_on_gpu(candidate);
      const NodeJudgement judgement = judge_apart(spread, all_apart());
      if (!judgement.ruled_out || !is_sure) settings.push_back({spread, judgement});
      note_ruled_out(spread, judgement);
      return judgement;
    };
    std::size_t number = 1;
    for (const Dimension& dimension : choices_.dimensions()) {
      if (is_setting(dimension) && number <= max_settings) number *= dimension.size;
    }
    NodeCandidate candidate = choices_.first();
    if (number <= max_settings) {
      do {
        look_at(candidate);
      } while (next(candidate, is_setting));
    } else {
      descend(candidate, look_at);
    }
    sort_by_nearness(settings, kept_settings);
    return settings;
  }

  /// One dimension after the other takes its nearest value, twice.
  template <class LookAt>
  void descend(NodeCandidate candidate, const LookAt& look_at) {
    NodeJudgement nearest = look_at(candidate);
    for (int round = 0; round < 2; ++round) {
      for (std::size_t i = 0; i < choices_.dimensions().size(); ++i) {
        if (!is_setting(choices_.dimensions()[i])) continue;
        for (std::size_t value = 0; value < choices_.dimensions()[i].size; ++value) {
          NodeCandidate other = candidate;
          other.values[i] = value;
          const NodeJudgement judgement = look_at(other);
          if (!is_nearer(judgement, nearest)) continue;
          nearest = judgement;
          candidate = other;
        }
      }
    }
    skipped_settings_ = true;
  }

  [[nodiscard]] std::vector<bool> all_apart() const {
    std::vector<bool> apart;
    for (const Dimension& dimension : choices_.dimensions()) apart.push_back(dimension.kind == Kind::core);
    return apart;
  }

  NodeJudgement judge_apart(const NodeCandidate& candidate, const std::vector<bool>& apart) {
    stop_if_asked(watch_);
    if (std::find(apart.begin(), apart.end(), true) == apart.end()) return judge(candidate);
    if (!choices_.complete(candidate)) return impossible();
    count();
    return judge_nodes(choices_.with_cores_apart(candidate, apart));
  }

  /// So that there is a reason to tell where nothing else is looked at.
  void note_ruled_out(const NodeCandidate& candidate, const NodeJudgement& judgement) {
    if (has_best_) return;
    result_.best = candidate;
    result_.judgement = judgement;
    has_best_ = true;
  }

  void sort_by_nearness(std::vector<Setting>& settings, std::size_t kept) const {
    std::stable_sort(settings.begin(), settings.end(),
                     [](const Setting& a, const Setting& b) { return is_nearer(a.judgement, b.judgement); });
    settings.erase(std::unique(settings.begin(), settings.end(),
                               [](const Setting& a, const Setting& b) { return a.candidate == b.candidate; }),
                   settings.end());
    settings.resize(std::min(settings.size(), kept));
  }

  // Cores.

  /// Open CPU work by falling utilisation: on the first core where nothing that has a core fails, or the one
  /// where least does. What has none yet stays on cores of its own.
  NodeCandidate placed(NodeCandidate candidate, Fit fit) {
    const std::optional<System> system = choices_.complete(candidate);
    if (!system) return candidate;
    std::vector<std::size_t> open;
    std::vector<bool> apart(choices_.dimensions().size());
    for (std::size_t i = 0; i < apart.size(); ++i) {
      if (choices_.dimensions()[i].kind != Kind::core) continue;
      open.push_back(i);
      apart[i] = true;
    }
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

  [[nodiscard]] std::vector<std::int64_t> loads_of_fixed_tasks(const System& system) const {
    std::vector<std::int64_t> loads(
        std::max<std::size_t>(1, static_cast<std::size_t>(system.platform.cpus())));
    for (std::size_t i = 0; i < system.tasks.size(); ++i) {
      if (choices_.system().tasks[i].any_core) continue;
      loads[static_cast<std::size_t>(system.tasks[i].core)] += cpu_load(system.tasks[i]);
    }
    return loads;
  }

  std::size_t place(NodeCandidate candidate, std::size_t dimension, const std::vector<bool>& apart, Fit fit,
                    const std::vector<std::int64_t>& loads) {
    std::vector<std::size_t> cores(choices_.dimensions()[dimension].size);
    std::iota(cores.begin(), cores.end(), std::size_t{0});
    if (fit == Fit::worst) {
      std::stable_sort(cores.begin(), cores.end(),
                       [&](std::size_t a, std::size_t b) { return loads[a] < loads[b]; });
    }
    std::optional<NodeJudgement> nearest;
    std::size_t best = cores.front();
    bool was_empty = false;
    for (const std::size_t core : cores) {
      const bool is_empty = loads[core] == 0;
      if (is_empty && was_empty) continue;  // the same as the one before
      was_empty = was_empty || is_empty;
      candidate.values[dimension] = core;
      NodeJudgement judgement = judge_apart(candidate, apart);
      forget_tasks_apart(judgement, apart);
      if (nearest && !is_nearer(judgement, *nearest)) continue;
      nearest = judgement;
      best = core;
      if (judgement.excess == 0) break;
    }
    return best;
  }

  void forget_tasks_apart(NodeJudgement& judgement, const std::vector<bool>& apart) const {
    for (std::size_t i = 0; i < apart.size(); ++i) {
      if (apart[i]) judgement.excess -= judgement.tasks[choices_.dimensions()[i].task];
    }
  }

  /// SMs of their own in equal shares, and cores of SMs with about the same work.
  [[nodiscard]] NodeCandidate with_places_on_gpu(NodeCandidate candidate) const {
    std::vector<std::size_t> owners;
    for (std::size_t i = 0; i < choices_.dimensions().size(); ++i) {
      if (choices_.dimensions()[i].kind == Kind::sms) owners.push_back(i);
    }
    std::int64_t left = choices_.system().platform.gpu.sms - choices_.given_sms();
    for (std::size_t n = 0; n < owners.size(); ++n) {
      const std::int64_t share =
          std::max<std::int64_t>(left / static_cast<std::int64_t>(owners.size() - n), 1);
      candidate.values[owners[n]] = static_cast<std::size_t>(share - 1);
      left -= share;
    }
    if (const std::optional<System> system = choices_.complete(candidate))
      spread_over_sms(candidate, *system);
    return candidate;
  }

  /// Tasks of any core of SMs, by falling work, each on the one that has least.
  void spread_over_sms(NodeCandidate& candidate, const System& system) const {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < choices_.dimensions().size(); ++i) {
      if (choices_.dimensions()[i].kind == Kind::sm_core) open.push_back(i);
    }
    const auto load_of = [&](std::size_t i) {
      const TaskIndex task = choices_.dimensions()[i].task;
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
      for (std::size_t core = 1; core < choices_.dimensions()[i].size && loads[best] > 0; ++core) {
        if (loads[core] < loads[best]) best = core;
      }
      candidate.values[i] = best;
      loads[best] += load_of(i);
    }
  }

  // Priorities.

  /// Audsley's assignment, with the tasks that are left above in the order that they have.
  void fill_levels(Setting& start) {
    if (!choices_.has_orders() || start.judgement.ruled_out) return;
    std::vector<TaskIndex> wish =
        start.candidate.order.empty() ? order_of_file(choices_.system()) : start.candidate.order;
    std::vector<std::size_t> lower;  // least urgent last
    NodeCandidate candidate = start.candidate;
    const PriorityOrder filled = audsley_order(
        {wish.begin(), wish.end()}, [&](std::size_t task, const std::vector<std::size_t>& more_urgent) {
          candidate.order.assign(more_urgent.begin(), more_urgent.end());
          candidate.order.push_back(static_cast<TaskIndex>(task));
          candidate.order.insert(candidate.order.end(), lower.begin(), lower.end());
          if (judge(candidate).tasks[task] > 0) return false;
          lower.insert(lower.begin(), task);
          return true;
        });
    candidate.order.assign(filled.order.begin(), filled.order.end());
    const NodeJudgement judgement = judge(candidate);
    if (is_nearer(judgement, start.judgement)) start = {candidate, judgement};
  }

  /// Goes to the nearest neighbour that was not looked at, also where it is farther than this one.
  void repair(Setting current, std::int64_t share) {
    const std::int64_t end = result_.tried + share;
    std::int64_t nearest = current.judgement.excess;
    for (int round = 0; round < rounds_without_gain && result_.tried < end; ++round) {
      std::optional<Setting> next;
      for (const NodeCandidate& moved : node_moves(choices_, current.candidate, current.judgement)) {
        if (known_.contains(moved)) continue;
        if (result_.tried >= end) return;
        const NodeJudgement judgement = judge(moved);
        if (!next || is_nearer(judgement, next->judgement)) next = Setting{moved, judgement};
      }
      if (!next) return;
      current = *std::move(next);
      if (current.judgement.excess < nearest) {
        nearest = current.judgement.excess;
        round = -1;
      }
    }
  }

  // All of them.

  /// The next values of the dimensions that are meant; false behind the last.
  template <class IsMeant>
  bool next(NodeCandidate& candidate, const IsMeant& is_meant) const {
    for (std::size_t i = candidate.values.size(); i > 0; --i) {
      const Dimension& dimension = choices_.dimensions()[i - 1];
      if (!is_meant(dimension)) continue;
      if (++candidate.values[i - 1] < dimension.size) return true;
      candidate.values[i - 1] = 0;
    }
    return false;
  }

  void try_everything() {
    NodeCandidate candidate = choices_.first();
    do {
      if (!choices_.is_canonical(candidate)) continue;
      candidate.order.clear();
      if (choices_.has_orders()) {
        candidate.order = order_of_file(choices_.system());
        std::sort(candidate.order.begin(), candidate.order.end());
      }
      do {
        if (judge(candidate).ruled_out) break;  // whatever the order
      } while (std::next_permutation(candidate.order.begin(), candidate.order.end()));
    } while (next(candidate, [](const Dimension&) { return true; }));
    result_.complete = true;
    result_.ruled_out =
        std::all_of(known_.begin(), known_.end(), [](const auto& known) { return known.second.ruled_out; });
  }

  const NodeChoices& choices_;
  const Watch& watch_;
  std::int64_t limit_;
  NodeSearchResult result_;
  std::map<NodeCandidate, NodeJudgement> known_;
  bool has_best_ = false;
  bool skipped_settings_ = false;
};

}  // namespace

std::int64_t max_node_candidates(std::size_t tasks) {
  constexpr std::int64_t most = 2000;
  constexpr std::int64_t pairs = 200'000;
  const auto n = static_cast<std::int64_t>(std::max<std::size_t>(tasks, 1));
  return std::clamp<std::int64_t>(n > pairs ? 0 : pairs / (n * n), 20, most);
}

NodeSearchResult search_nodes(const NodeChoices& choices, const Watch& watch) {
  return Search{choices, watch}.run();
}

}  // namespace tactus::plan
