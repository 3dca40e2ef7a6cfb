#include "tactus/plan/node_search.hpp"

#include <algorithm>
#include <utility>

#include "tactus/base/random.hpp"
#include "tactus/plan/audsley.hpp"
#include "tactus/plan/node_moves.hpp"
#include "tactus/plan/node_placement.hpp"
#include "tactus/plan/node_trials.hpp"
#include "tactus/plan/priorities.hpp"

namespace tactus::plan {

namespace {

using Kind = Dimension::Kind;

constexpr std::size_t max_settings = 256;  // policies and variants that are all looked at
constexpr std::size_t kept_settings = 12;
constexpr std::size_t kept_starts = 4;
constexpr int rounds_without_gain = 8;

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

class Search {
 public:
  Search(const NodeChoices& choices, const NodeSearchLimits& limits, const Watch& watch)
      : choices_{choices},
        first_{limits.first},
        trials_{choices, limits.candidates, watch},
        result_{trials_.result()} {}

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
    if (first_) trials_.judge(*first_);
    const std::vector<std::vector<TaskIndex>> orders = first_orders(choices_.first());
    const bool places_tasks = choices_.has(Kind::core) || choices_.has(Kind::sm_core);
    if (!places_tasks) {
      for (const std::vector<TaskIndex>& order : orders) {
        NodeCandidate candidate = choices_.first();
        candidate.order = order;
        trials_.judge(candidate);
      }
    }
    std::vector<Setting> settings = find_settings();
    if (settings.empty()) {
      result_.complete = result_.ruled_out = !skipped_settings_;
      return;
    }
    std::vector<Setting> starts;
    for (const Setting& setting : settings) {
      if (result_.tried > trials_.limit() / 2 && !starts.empty()) break;
      for (const std::vector<TaskIndex>& order : first_orders(setting.candidate)) {
        NodeCandidate candidate = setting.candidate;
        candidate.order = order;
        const CpuScope scope = choices_.scope(candidate);
        if (places_tasks && scope != CpuScope::partitioned) {
          starts.push_back({candidate, trials_.judge(candidate)});
          if (scope == CpuScope::global) continue;
        }
        for (const Fit fit : {Fit::first, Fit::worst}) {
          if (!places_tasks && fit == Fit::worst) continue;
          const NodeCandidate start = placed_on_cores(trials_, candidate, fit);
          starts.push_back({start, trials_.judge(start)});
        }
      }
    }
    sort_by_nearness(starts, kept_starts);
    for (Setting& start : starts) fill_levels(start);
    sort_by_nearness(starts, kept_starts);
    for (std::size_t i = 0; i < starts.size(); ++i) {
      const std::int64_t share =
          (trials_.limit() - result_.tried) / static_cast<std::int64_t>(starts.size() - i);
      repair(starts[i], std::min(share, trials_.limit() / 3));
    }
    if (choices_.count(trials_.limit(), false) >= trials_.limit()) {
      if (choices_.system().policy.strategy->times_nodes) shake();
      return;
    }
    try_everything(false);
    if (choices_.has_gpu_orders() && choices_.count(trials_.limit(), true) >= trials_.limit()) return;
    if (choices_.has_gpu_orders()) try_everything(true);
    result_.complete = true;
    result_.ruled_out = trials_.all_ruled_out();
  }

  /// The priorities of the file, by deadlines, by slack.
  [[nodiscard]] std::vector<std::vector<TaskIndex>> first_orders(const NodeCandidate& candidate) const {
    if (!choices_.has_orders()) return {{}};
    const System& system = choices_.system();
    const std::optional<System> complete = choices_.complete(candidate);
    std::vector<std::vector<TaskIndex>> orders;
    const bool by_priority = system.policy.strategy->has_order && system.policy.order == Order::fp;
    const bool gives_gpu_order = std::any_of(system.tasks.begin(), system.tasks.end(),
                                             [](const Task& task) { return task.gpu_priority.has_value(); });
    if (has_distinct_priorities(system) || gives_gpu_order || (!by_priority && !gives_priorities(system))) {
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

  /// With CPU work that has no core yet on cores of its own; where clusters share their work, spread over
  /// these. What a necessary test rules out even so is left out, where every core serves by itself and places
  /// on the GPU are given.
  std::vector<Setting> find_settings() {
    std::vector<Setting> settings;
    const bool is_sure = cpu_policy(choices_.system().policy).scope == CpuScope::partitioned &&
                         !choices_.has(Kind::sm_core) && !choices_.has(Kind::sms);
    const auto look_at = [&](const NodeCandidate& candidate) {
      const NodeCandidate spread = spread_over_clusters(choices_, placed_on_gpu(choices_, candidate));
      const bool is_apart = choices_.scope(candidate) == CpuScope::partitioned;
      NodeJudgement judgement = is_apart ? trials_.judge_apart(spread, all_apart()) : trials_.judge(spread);
      if (!judgement.ruled_out || !is_sure) settings.push_back({spread, judgement});
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

  void sort_by_nearness(std::vector<Setting>& settings, std::size_t kept) const {
    std::stable_sort(settings.begin(), settings.end(),
                     [](const Setting& a, const Setting& b) { return is_nearer(a.judgement, b.judgement); });
    settings.erase(std::unique(settings.begin(), settings.end(),
                               [](const Setting& a, const Setting& b) { return a.candidate == b.candidate; }),
                   settings.end());
    settings.resize(std::min(settings.size(), kept));
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
          if (trials_.judge(candidate).tasks[task] > 0) return false;
          lower.insert(lower.begin(), task);
          return true;
        });
    candidate.order.assign(filled.order.begin(), filled.order.end());
    const NodeJudgement judgement = trials_.judge(candidate);
    if (is_nearer(judgement, start.judgement)) start = {candidate, judgement};
  }

  /// Goes to the nearest neighbour that was not looked at, also where it is farther than this one.
  void repair(Setting current, std::int64_t share) {
    const std::int64_t end = result_.tried + share;
    std::int64_t nearest = current.judgement.excess;
    for (int round = 0; round < rounds_without_gain && result_.tried < end; ++round) {
      std::optional<Setting> next;
      for (const NodeCandidate& moved : node_moves(choices_, current.candidate, current.judgement)) {
        if (trials_.is_known(moved)) continue;
        if (result_.tried >= end) return;
        const NodeJudgement judgement = trials_.judge(moved);
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

  /// Where a judgement is cheap, the rest of the limit: some values of the nearest candidate are drawn anew,
  /// and it is repaired again.
  void shake() {
    constexpr std::uint64_t values_drawn = 4;
    constexpr std::int64_t repairs = 40;
    std::uint64_t bits = 0;
    const std::vector<Dimension>& dimensions = choices_.dimensions();
    const auto below = [&](std::size_t width) {
      bits = mix_bits(bits);
      return static_cast<std::size_t>(draw_below(bits, width));
    };
    for (std::int64_t i = 0; i < 100 * repairs; ++i) {
      NodeCandidate candidate = result_.best;
      for (std::uint64_t n = 0; n < values_drawn; ++n) {
        const std::size_t dimension = below(dimensions.size());
        const CpuScope scope = choices_.scope(candidate);
        candidate.values[dimension] = below(dimensions[dimension].size);
        if (choices_.scope(candidate) != scope) candidate = spread_over_clusters(choices_, candidate);
      }
      if (choices_.scope(candidate) == CpuScope::global) {
        candidate = spread_over_clusters(choices_, candidate);
      }
      if (trials_.is_known(candidate)) continue;
      const NodeJudgement judgement = trials_.judge(candidate);
      repair({candidate, judgement}, trials_.limit() / repairs);
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

  void try_everything(bool with_gpu_orders) {
    NodeCandidate candidate = choices_.first();
    do {
      if (!choices_.is_canonical(candidate)) continue;
      candidate.order.clear();
      if (choices_.has_orders()) {
        candidate.order = order_of_file(choices_.system());
        std::sort(candidate.order.begin(), candidate.order.end());
      }
      candidate.gpu_order.clear();
      if (with_gpu_orders) {
        candidate.gpu_order = choices_.gpu_order(candidate);
        std::sort(candidate.gpu_order.begin(), candidate.gpu_order.end());
      }
      bool ruled_out = false;  // whatever the order
      do {
        do {
          ruled_out = trials_.judge(candidate).ruled_out;
        } while (!ruled_out && std::next_permutation(candidate.order.begin(), candidate.order.end()));
      } while (!ruled_out && std::next_permutation(candidate.gpu_order.begin(), candidate.gpu_order.end()));
    } while (next(candidate, [](const Dimension&) { return true; }));
    result_.one_order = true;
  }

  const NodeChoices& choices_;
  std::optional<NodeCandidate> first_;
  NodeTrials trials_;
  NodeSearchResult& result_;
  bool skipped_settings_ = false;
};

}  // namespace

std::int64_t max_node_candidates(const System& system) {
  if (system.policy.strategy->times_nodes) {
    constexpr std::int64_t most = 20'000;
    constexpr std::int64_t nodes_judged = 5'000'000;
    std::int64_t nodes = 1;
    for (const Task& task : system.tasks) nodes += static_cast<std::int64_t>(task.work.nodes.size());
    return std::clamp<std::int64_t>(nodes_judged / nodes, 20, most);
  }
  constexpr std::int64_t most = 3000;
  constexpr std::int64_t pairs = 600'000;
  const auto n = static_cast<std::int64_t>(std::max<std::size_t>(system.tasks.size(), 1));
  return std::clamp<std::int64_t>(n > pairs ? 0 : pairs / (n * n), 20, most);
}

NodeSearchResult search_nodes(const NodeChoices& choices, const NodeSearchLimits& limits,
                              const Watch& watch) {
  return Search{choices, limits, watch}.run();
}

}  // namespace tactus::plan
