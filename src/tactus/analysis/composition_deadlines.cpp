#include "tactus/analysis/composition_deadlines.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "tactus/analysis/composition_node.hpp"
#include "tactus/analysis/effort.hpp"

namespace tactus::analysis {

namespace {

class BusyPeriods {
 public:
  BusyPeriods(const CompositionState& state, std::size_t task, std::size_t node, const SupplyBound& supply)
      : state_{state},
        index_{task},
        node_{node},
        task_{state.system().tasks[task]},
        server_{task_.nodes[node].server},
        rivals_{state, task, server_},
        supply_{supply},
        is_interrupted_{service_of(state.system().servers[server_]) != ServiceKind::non_preemptive},
        point_{point_of(task_, state.system().servers[server_])},
        before_{state.facts(task).before[node]} {}

  /// The longest response from reaching the server to the end.
  std::optional<std::int64_t> longest(std::int64_t limit) {
    if (task_.held_core == server_ || rivals_.without_bound() || !find_own()) return std::nullopt;
    const std::optional<std::vector<std::int64_t>> distances = distances_to_deadline();
    if (!distances) return std::nullopt;
    std::int64_t longest = 0;
    for (const std::int64_t distance : *distances) {
      const std::int64_t own = own_work(distance);
      const std::int64_t reached = std::max({std::int64_t{0}, own, distance - point_ + before_});
      const std::optional<std::int64_t> end = end_of_window(distance, own, checked_add(limit, reached));
      if (!end) return std::nullopt;
      longest = std::max(longest, *end - reached);
    }
    return longest;
  }

 private:
  /// A node of the own task on the server, as one of an earlier job, or of this one if it comes before.
  struct OwnNode {
    std::int64_t length = 0;
    std::int64_t seen = 0;
    bool is_ahead = false;
  };

  /// False where the nodes have no latest instant.
  bool find_own() {
    const std::vector<std::size_t>& beside = state_.facts(index_).beside[node_];
    for (std::size_t u = 0; u < task_.nodes.size(); ++u) {
      if (task_.nodes[u].server != server_) continue;
      const std::optional<std::int64_t> seen = latest_reach(state_, index_, u);
      if (!seen) return false;
      const bool is_beside = std::find(beside.begin(), beside.end(), u) != beside.end();
      own_.push_back({task_.nodes[u].time.worst.count(), *seen, u < node_ && !is_beside});
      if (u == node_) seen_ = *seen;
      if (is_beside) beside_ = checked_add(beside_, task_.nodes[u].time.worst.count());
    }
    return true;
  }

  /// What has to be done before v is ready, of nodes that have reached the server since t0.
  [[nodiscard]] std::int64_t own_work(std::int64_t distance) const {
    Int128 sum = 0;
    spend_steps(own_.size());
    for (const OwnNode& node : own_) {
      const Int128 since = static_cast<Int128>(distance) - point_ + node.seen;
      Int128 jobs = since < 0 ? 0 : (task_.period ? since / task_.period->count() + 1 : 1);
      if (!node.is_ahead && jobs > 0) --jobs;  // of this job it is v itself, or comes behind or beside it
      sum = capped(sum + capped_product(jobs, node.length));
    }
    return static_cast<std::int64_t>(std::min<Int128>(sum, std::numeric_limits<std::int64_t>::max() / 4));
  }

  /// Distances from the start of the window to v's deadline at which more jobs come into it; in between the
  /// same work has to be done, and v reaches the server later.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> distances_to_deadline() {
    constexpr std::size_t max_terms = 40'000;  // for each node, in every round of the fixed point
    const std::size_t max_distances = std::max<std::size_t>(1, max_terms / state_.loads(server_).size());
    const std::int64_t first = point_ - seen_;
    const std::optional<std::int64_t> period = longest_busy_period();
    if (!period) return std::nullopt;
    const std::int64_t last = checked_add(*period - before_, point_);
    std::vector<std::int64_t> distances{first};
    const auto add = [&](std::int64_t from, std::int64_t every) {
      if (from < first) from += ceil_div(first - from, every) * every;
      for (std::int64_t distance = from; distance <= last; distance += every) {
        if (distances.size() == max_distances) return false;
        distances.push_back(distance);
      }
      return true;
    };
    const auto beyond = std::max<std::int64_t>(last - first, 0) + 1;
    for (const TaskLoad& rival : state_.loads(server_)) {
      if (rival.task == index_) continue;
      for (const LoadPart& part : rival.load.parts()) {
        if (!add(rival.load.owner().deadline - part.seen, rival.load.owner().period.value_or(beyond)))
          return std::nullopt;
      }
    }
    const std::int64_t own_period = task_.period ? task_.period->count() : beyond;
    for (const OwnNode& node : own_) {
      if (!add(point_ - node.seen, own_period)) return std::nullopt;
    }
    std::sort(distances.begin(), distances.end());
    distances.erase(std::unique(distances.begin(), distances.end()), distances.end());
    return distances;
  }

  [[nodiscard]] std::int64_t blocking(std::int64_t distance) const {
    return longest_blocking(blockers_of(state_, index_, server_, point_ - distance), rivals_);
  }

  /// No window without a gap is longer: all work that reaches the server in it, whatever its deadline.
  [[nodiscard]] std::optional<std::int64_t> longest_busy_period() const {
    constexpr std::int64_t max_periods = 1000;
    const std::int64_t most = blocking(point_ - seen_);
    std::int64_t limit = task_.deadline.count();
    if (task_.period) limit = std::max(limit, checked_mul(task_.period->count(), max_periods));
    const auto demand = [&](std::int64_t length) {
      Int128 sum = most;
      spend_steps(state_.loads(server_).size());
      for (const TaskLoad& load : state_.loads(server_)) sum = capped(sum + load.load.in_fresh(length, 0));
      return Demand{sum, 0};
    };
    const FixedPoint point = min_length(1, limit, supply_, demand, [] { return Int128{0}; });
    return point.found() ? std::optional{point.length} : std::nullopt;
  }

  [[nodiscard]] std::optional<std::int64_t> end_of_window(std::int64_t distance, std::int64_t own,
                                                          std::int64_t limit) const {
    const std::int64_t worst = task_.nodes[node_].time.worst.count();
    // Without preemption it must have begun: what comes at that instant goes first.
    const std::int64_t last = is_interrupted_ ? worst : 1;
    const std::int64_t work = checked_add(checked_add(blocking(distance), beside_), checked_add(own, last));
    const auto demand = [&](std::int64_t length) {
      Int128 sum = work;
      spend_steps(state_.loads(server_).size());
      for (const TaskLoad& load : state_.loads(server_)) {
        if (load.task != index_) sum = capped(sum + load.load.in_fresh_by(length, distance));
      }
      return Demand{sum, 0};
    };
    const FixedPoint point = min_length(work, limit, supply_, demand, [] { return Int128{0}; });
    if (!point.found()) return std::nullopt;
    return is_interrupted_ ? point.length : checked_add(point.length - 1, worst);
  }

  const CompositionState& state_;
  std::size_t index_;
  std::size_t node_;
  const ChainTask& task_;
  std::size_t server_;
  RivalsOn rivals_;
  const SupplyBound& supply_;
  bool is_interrupted_;
  std::int64_t point_;   // D, or the priority point
  std::int64_t before_;  // pb
  std::int64_t seen_ = 0;
  std::int64_t beside_ = 0;
  std::vector<OwnNode> own_;
};

}  // namespace

std::optional<std::int64_t> response_by_deadlines(const CompositionState& state, std::size_t task,
                                                  std::size_t node, const SupplyBound& supply,
                                                  std::int64_t limit) {
  return BusyPeriods{state, task, node, supply}.longest(limit);
}

}  // namespace tactus::analysis
