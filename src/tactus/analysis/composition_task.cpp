#include "tactus/analysis/composition_task.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "tactus/analysis/composition_node.hpp"
#include "tactus/analysis/effort.hpp"

namespace tactus::analysis {

namespace {

/// A row of jobs, or the jobs of a busy period, may have so many.
constexpr std::int64_t max_jobs = 1000;

/// How long the jobs of one task stay at one server: section 8 of the proof.
class Stay {
 public:
  /// Of the nodes `own` there, one after the other; `nodes` has the new responses.
  Stay(const CompositionState& state, std::size_t task, std::size_t server, std::span<const std::size_t> own,
       const std::vector<NodeUnknowns>& nodes)
      : state_{state},
        task_{task},
        server_{server},
        service_{service_of(state.system().servers[server])},
        cores_{service_ == ServiceKind::preemptive ? state.system().servers[server].engines : 1},
        nodes_{static_cast<std::int64_t>(own.size())},
        rivals_{state, task, server} {
    const ChainTask& given = state.system().tasks[task];
    find_beside(own);
    std::optional<std::int64_t> latest = std::int64_t{0};
    for (const std::size_t v : own) {
      const std::optional<std::int64_t> reached = latest_reach(state, task, v);
      worst_ = checked_add(worst_, given.nodes[v].time.worst.count());
      turns_ = checked_add(turns_, given.nodes[v].turns);
      by_node_ = nodes[v].response ? capped(by_node_ + *nodes[v].response) : endless;
      if (by_whole_window()) {
        blocking_ =
            checked_add(blocking_, longest_blocking(blockers_of(state, task, server_, reached), rivals_));
      }
      latest = latest && reached ? std::optional{std::max(*latest, *reached)} : std::nullopt;
    }
    if (!by_whole_window()) return;
    blockers_ = blockers_of(state, task, server_, latest);
    std::sort(blockers_.begin(), blockers_.end(),
              [](const NodeBlocker& a, const NodeBlocker& b) { return a.length > b.length; });
    const ChainServer& by = state.system().servers[server_];
    if (is_by_deadline(by) && service_ != ServiceKind::fifo) {
      before_deadline_ = rivals_.before_deadline(point_of(given, by));
    }
  }

  /// Of so many jobs in a window.
  [[nodiscard]] Demand in(std::int64_t jobs, std::int64_t window) const {
    if (service_ == ServiceKind::own) return {static_cast<Int128>(jobs) * (worst_ + beside_), 0};
    const Demand by_node{capped_product(jobs, by_node_), 0};
    if (!by_whole_window()) return by_node;
    const Int128 own = static_cast<Int128>(jobs) * (cores_ > 1 ? worst_ : worst_ + beside_);
    return lesser(by_node, others(jobs, window) + own + blocked(jobs, window));
  }

  [[nodiscard]] std::size_t server() const { return server_; }
  [[nodiscard]] std::int64_t worst() const { return worst_; }
  [[nodiscard]] const RivalsOn& rivals() const { return rivals_; }
  /// B, of a task with one node there.
  [[nodiscard]] std::int64_t blocking() const { return blocking_; }
  /// Whether the bound of np-fp holds for a task of this one node.
  [[nodiscard]] bool is_one_queue_by_priority() const {
    const ChainServer& server = state_.system().servers[server_];
    return service_ == ServiceKind::non_preemptive && server.order == Order::fp && server.engines == 1;
  }

 private:
  /// Nodes of the job that are not on its way, but may be ahead of one that is.
  void find_beside(std::span<const std::size_t> own) {
    std::vector<std::size_t> others;
    for (const std::size_t v : own) {
      for (const std::size_t u : state_.facts(task_).beside[v]) {
        if (std::find(own.begin(), own.end(), u) == own.end()) others.push_back(u);
      }
    }
    std::sort(others.begin(), others.end());
    others.erase(std::unique(others.begin(), others.end()), others.end());
    for (const std::size_t u : others) {
      beside_nodes_.push_back(state_.system().tasks[task_].nodes[u].time.worst.count());
      beside_ = checked_add(beside_, checked_add(beside_nodes_.back(), rivals_.low_block()));
    }
  }

  /// The plain form counts node by node only, and so do windows: what is waited for while one is closed is no
  /// work of others.
  [[nodiscard]] bool by_whole_window() const {
    const bool waits_for_work =
        service_ != ServiceKind::window || is_always_open(state_.system().servers[server_]);
    return state_.form() == ChainForm::chain && waits_for_work && service_ != ServiceKind::own;
  }

  [[nodiscard]] Demand others(std::int64_t jobs, std::int64_t window) const {
    if (service_ != ServiceKind::fifo) {
      const std::span<const Int128> most =
          jobs == 1 ? std::span<const Int128>{before_deadline_} : std::span<const Int128>{};
      return cores_ > 1 ? rivals_.all_cores_busy(window, cores_, beside_nodes_, most)
                        : rivals_.any(window, most);
    }
    Demand sum;
    spend_steps(state_.clients(server_).size());
    const std::vector<TaskLoad>& loads = state_.loads(server_);
    auto load = loads.begin();
    for (const std::size_t other : state_.clients(server_)) {
      while (load != loads.end() && load->task < other) ++load;
      if (other == task_) continue;
      const Int128 each_turn =
          capped_product(static_cast<Int128>(jobs) * turns_, work_in_queue(state_, other, server_));
      const bool has_load = load != loads.end() && load->task == other;
      sum = sum + lesser({each_turn, 0}, has_load ? load->load.in_any(window) : Demand{endless, 0});
    }
    return sum;
  }

  /// One blocker for each arrival of a node, and each as often as it can occur in the window.
  [[nodiscard]] Int128 blocked(std::int64_t jobs, std::int64_t window) const {
    // Of a node in blocks every block may be in the way of another arrival.
    if (service_ == ServiceKind::window) return capped_product(jobs, blocking_);
    spend_steps(blockers_.size());
    Int128 left = static_cast<Int128>(jobs) * nodes_;
    Int128 sum = 0;
    for (const NodeBlocker& blocker : blockers_) {
      if (left == 0 || blocker.length <= rivals_.low_block()) break;
      const Int128 count = std::min(left, occurrences(blocker, window));
      sum = capped(sum + capped_product(count, blocker.length));
      left -= count;
    }
    sum = capped(sum + capped_product(left, rivals_.low_block()));
    return std::min(sum, capped_product(jobs, blocking_));
  }

  [[nodiscard]] Int128 occurrences(const NodeBlocker& blocker, std::int64_t window) const {
    const ChainTask& task = state_.system().tasks[blocker.task];
    const std::optional<std::int64_t>& end = state_.unknowns(blocker.task).nodes[blocker.node].end;
    if (!end) return endless;
    if (!task.period) return 1;
    const Int128 reach = static_cast<Int128>(window) + *end - state_.facts(blocker.task).before[blocker.node];
    return (reach + task.period->count() - 1) / task.period->count();
  }

  const CompositionState& state_;
  std::size_t task_;
  std::size_t server_;
  ServiceKind service_;
  std::int32_t cores_;
  std::int64_t nodes_;
  std::int64_t turns_ = 0;
  RivalsOn rivals_;
  std::int64_t beside_ = 0;                 // work of other nodes of the job that may be ahead
  std::vector<std::int64_t> beside_nodes_;  // of each
  std::int64_t worst_ = 0;                  // sum w
  Int128 by_node_ = 0;                      // sum r
  std::int64_t blocking_ = 0;               // sum B
  std::vector<NodeBlocker> blockers_;       // of some own node there, longest first
  std::vector<Int128> before_deadline_;
};

class JobSearch {
 public:
  JobSearch(const CompositionState& state, std::size_t task)
      : state_{state}, index_{task}, task_{state.system().tasks[task]}, facts_{state.facts(task)} {}

  ChainStep run() {
    ChainUnknowns next = state_.unknowns(index_);
    for (const NodesOnServer& own : facts_.servers) {
      const NodeResponses responses = node_responses(state_, index_, own);
      gave_up_ = gave_up_ || responses.gave_up;
      for (std::size_t n = 0; n < own.nodes.size(); ++n) {
        next.nodes[own.nodes[n]].response = responses.lengths[n];
      }
    }
    find_stays(next.nodes);
    find_response(next);
    place_nodes(task_, facts_, next);
    if (task_.held_core && next.response) next.spin = spin(next);
    ChainStep step{.unknowns = std::move(next)};
    if (!step.unknowns.response) explain(step);
    return step;
  }

 private:
  using Stays = std::vector<Stay>;

  void find_stays(const std::vector<NodeUnknowns>& nodes) {
    spend_steps(facts_.ways.size() * facts_.servers.size());
    for (const NodesOnServer& own : facts_.servers) {
      stays_.emplace_back(state_, index_, own.server, own.nodes, nodes);
    }
    if (facts_.ways.size() == 1) return;
    for (const std::vector<std::size_t>& way : facts_.ways) {
      Stays& stays = ways_.emplace_back();
      Int128 by_nodes = 0;
      for (const std::size_t v : way) {
        by_nodes = nodes[v].response ? capped(by_nodes + *nodes[v].response) : endless;
      }
      longest_by_nodes_ = std::max(longest_by_nodes_, by_nodes);
      for (const NodesOnServer& own : facts_.servers) {
        const std::vector<std::size_t> there = nodes_on(task_, way, own.server);
        if (!there.empty()) stays.emplace_back(state_, index_, own.server, there, nodes);
      }
    }
  }

  void find_response(ChainUnknowns& next) {
    const std::optional<std::int64_t> first = row(1);
    std::optional<std::int64_t> longest = first;
    if (first && task_.period) longest = longest_of_rows(*first, task_.period->count());
    next.calm = first && (!task_.period || *first <= task_.period->count());
    next.response.reset();
    if (longest) next.response = checked_add(*longest, task_.jitter.count());
    if (facts_.worst > 0 && task_.nodes.size() == 1 && !task_.held_core &&
        task_.nodes.front().ahead == Duration{} && stays_.front().is_one_queue_by_priority()) {
      const std::optional<std::int64_t> alone = in_busy_period();
      if (alone && (!next.response || *alone < *next.response)) next.response = alone;
      if (task_.period && next.response && *next.response > task_.period->count()) next.calm = false;
    }
    if (next.response && *next.response > task_.deadline.count()) next.response.reset();
  }

  /// Q(q): how long so many jobs in a row take.
  std::optional<std::int64_t> row(std::int64_t jobs) {
    std::int64_t limit = task_.deadline.count() - task_.jitter.count();
    if (jobs > 1) limit = checked_add(limit, checked_mul(task_.period->count(), jobs - 1));
    if (ways_.empty()) return row(stays_, jobs, limit);
    if (jobs > 1) {
      // Each job may have another way: that through all nodes takes longer than any.
      std::optional<std::int64_t> length = row(stays_, jobs, limit);
      const Int128 by_nodes = capped_product(longest_by_nodes_, jobs);
      if (by_nodes <= limit && (!length || by_nodes < *length)) length = static_cast<std::int64_t>(by_nodes);
      return length;
    }
    std::int64_t longest = 0;
    for (const Stays& way : ways_) {
      const std::optional<std::int64_t> length = row(way, 1, limit);
      if (!length) return std::nullopt;
      longest = std::max(longest, *length);
    }
    return longest;
  }

  std::optional<std::int64_t> row(const Stays& stays, std::int64_t jobs, std::int64_t limit) {
    std::int64_t own = 0;
    for (const Stay& stay : stays) own = checked_add(own, stay.worst());
    const auto stays_at = [&](std::int64_t window) {
      Demand sum;
      for (const Stay& stay : stays) sum = sum + stay.in(jobs, window);
      return sum;
    };
    return found(
        min_length(checked_mul(own, jobs), limit, SupplyBound::always(), stays_at, [] { return Int128{0}; }));
  }

  std::optional<std::int64_t> longest_of_rows(std::int64_t first, std::int64_t period) {
    std::int64_t longest = first;
    std::optional<std::int64_t> length = first;
    for (std::int64_t jobs = 1; *length > checked_mul(period, jobs);) {
      if (++jobs > max_jobs) return std::nullopt;
      length = row(jobs);
      if (!length) return std::nullopt;
      longest = std::max(longest, *length - (jobs - 1) * period);
    }
    return longest;
  }

  /// np-fp: for a task of one node, all jobs of the busy period, with fresh windows. Not where something lies
  /// ahead of the node: while the next of several waiting jobs is on its way, less urgent work may begin.
  std::optional<std::int64_t> in_busy_period() {
    const Stay& only = stays_.front();
    const std::int64_t blocking =
        longest_blocking(blockers_of(state_, index_, only.server(), std::nullopt), only.rivals());
    const std::int64_t own = only.worst();
    const std::int64_t jitter = task_.jitter.count();
    const auto by_share = [] { return Int128{0}; };
    std::int64_t limit = task_.deadline.count();
    std::int64_t jobs = 1;
    if (task_.period) {
      const std::int64_t period = task_.period->count();
      limit = checked_mul(period, max_jobs);
      const auto jobs_in = [&](std::int64_t length) { return ceil_div(checked_add(length, jitter), period); };
      const auto busy = [&](std::int64_t length) {
        return Demand{capped(blocking + only.rivals().jobs_in_fresh(length) +
                             static_cast<Int128>(jobs_in(length)) * own)};
      };
      const std::optional<std::int64_t> length =
          found(min_length(checked_add(blocking, own), limit, SupplyBound::always(), busy, by_share));
      if (!length) return std::nullopt;
      jobs = jobs_in(*length);
    }
    std::int64_t longest = 0;
    std::int64_t start = 0;
    for (std::int64_t k = 0; k < jobs; ++k) {
      const std::int64_t before = checked_add(blocking, checked_mul(own, k));
      const auto until_start = [&](std::int64_t length) {
        return Demand{
            capped(static_cast<Int128>(before) + only.rivals().jobs_in_fresh(checked_add(length, 1)))};
      };
      const std::optional<std::int64_t> next =
          found(min_length(std::max(before, start), limit, SupplyBound::always(), until_start, by_share));
      if (!next) return std::nullopt;
      start = *next;
      longest = std::max(longest, start - (k == 0 ? 0 : k * task_.period->count()) + own);
    }
    return checked_add(longest, jitter);
  }

  /// How long a job keeps the core that it holds: its own work there, and its stay elsewhere.
  [[nodiscard]] std::int64_t spin(const ChainUnknowns& next) const {
    const std::int64_t window = *next.response - (next.calm ? task_.jitter.count() : 0);
    const auto elsewhere = [&](const Stays& way) {
      Int128 sum = 0;
      for (const Stay& stay : way) {
        if (stay.server() != *task_.held_core) sum = capped(sum + stay.in(1, window).work);
      }
      return sum;
    };
    Int128 sum = ways_.empty() ? elsewhere(stays_) : 0;
    for (const Stays& way : ways_) sum = std::max(sum, elsewhere(way));
    for (const Stay& stay : stays_) {
      if (stay.server() == *task_.held_core) sum = capped(sum + stay.worst());
    }
    return static_cast<std::int64_t>(std::min<Int128>(sum, window));
  }

  void explain(ChainStep& step) const {
    step.why = gave_up_ ? NoBound::gave_up : NoBound::deadline;
    for (const Stay& stay : stays_) {
      if (const std::optional<std::size_t> other = stay.rivals().without_bound()) {
        step.why = NoBound::other_task;
        step.because_of = *other;
        return;
      }
    }
    if (!gave_up_) step.stays = stays_by_deadline();
  }

  /// Nothing where some stay has no bound.
  [[nodiscard]] std::vector<ServerStay> stays_by_deadline() const {
    std::vector<ServerStay> stays;
    const std::int64_t window = task_.deadline.count() - task_.jitter.count();
    for (const Stay& stay : stays_) {
      const Int128 longest = window > 0 ? stay.in(1, window).work : endless;
      if (longest > std::numeric_limits<std::int64_t>::max()) return {};
      stays.push_back({stay.server(), Duration{stay.worst()}, Duration{static_cast<std::int64_t>(longest)}});
    }
    return stays;
  }

  std::optional<std::int64_t> found(const FixedPoint& point) {
    if (point.found()) return point.length;
    gave_up_ = gave_up_ || point.outcome == FixedPoint::Outcome::gave_up;
    return std::nullopt;
  }

  const CompositionState& state_;
  std::size_t index_;
  const ChainTask& task_;
  const ChainFacts& facts_;
  Stays stays_;                  // of a job that goes through all of its nodes
  std::vector<Stays> ways_;      // of a graph: by way
  Int128 longest_by_nodes_ = 0;  // of a graph: the longest way by the responses of its nodes
  bool gave_up_ = false;
};

}  // namespace

ChainStep next_unknowns(const CompositionState& state, std::size_t task) {
  return JobSearch{state, task}.run();
}

}  // namespace tactus::analysis
