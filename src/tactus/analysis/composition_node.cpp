#include "tactus/analysis/composition_node.hpp"

#include <algorithm>

#include "tactus/analysis/composition_deadlines.hpp"

namespace tactus::analysis {

namespace {

/// The supply of a server. A block that does not fit the rest of a window is not begun, so less than the
/// longest one is lost of every window.
SupplyBound supply_of(const CompositionState& state, std::size_t server) {
  const ChainServer& given = state.system().servers[server];
  if (given.service != ServiceKind::window || is_always_open(given)) return SupplyBound::always();
  Duration longest{};
  for (const TaskLoad& load : state.loads(server)) {
    for (const ChainNode& node : state.system().tasks[load.task].nodes) {
      if (node.server == server) longest = std::max(longest, node.longest_block);
    }
  }
  return SupplyBound::windows(std::max(given.budget - longest, Duration{}), given.period);
}

/// Searches for the nodes of one task on one server.
class NodeSearch {
 public:
  NodeSearch(const CompositionState& state, std::size_t task, const NodesOnServer& own)
      : state_{state},
        index_{task},
        own_{own},
        task_{state.system().tasks[task]},
        server_{state.system().servers[own.server]},
        rivals_{state, task, own.server},
        limit_{task_.deadline.count() - task_.jitter.count()},
        supply_{supply_of(state, own.server)} {}

  NodeResponses run() {
    NodeResponses responses;
    if (!is_by_deadline(server_) && service_of(server_) != ServiceKind::fifo &&
        service_of(server_) != ServiceKind::own) {
      blocking_ = longest_blocking(blockers_of(state_, index_, own_.server, std::nullopt), rivals_);
    }
    for (const std::size_t v : own_.nodes) {
      responses.lengths.push_back(lesser(response(v), by_busy_periods(v)));
    }
    responses.gave_up = gave_up_;
    return responses;
  }

 private:
  using Length = std::optional<std::int64_t>;

  [[nodiscard]] std::int64_t worst(std::size_t v) const { return task_.nodes[v].time.worst.count(); }

  template <class DemandAt>
  Length search(std::int64_t work, std::int64_t limit, const DemandAt& rivals_at) {
    const auto by_share = [&]() -> Int128 {
      return is_by_deadline(server_) ? 0 : rivals_.min_length(work, supply_);
    };
    const FixedPoint point = min_length(
        work, limit, supply_, [&](std::int64_t x) { return rivals_at(x) + work; }, by_share);
    return found(point);
  }

  Length found(const FixedPoint& point) {
    if (point.found()) return point.length;
    gave_up_ = gave_up_ || point.outcome == FixedPoint::Outcome::gave_up;
    return std::nullopt;
  }

  Length any(std::int64_t work, std::span<const Int128> most = {}) {
    return search(work, limit_, [&](std::int64_t x) { return rivals_.any(x, most); });
  }
  Length fresh(std::int64_t work, std::int64_t beyond = 0) {
    return search(work, checked_add(limit_, beyond), [&](std::int64_t x) { return rivals_.fresh(x); });
  }

  /// The latest start behind so much work: the least x with work + rivals(x + 1) <= x.
  Length start_any(std::int64_t work, std::span<const Int128> most = {}) {
    return less(search(checked_add(work, 1), checked_add(limit_, 1),
                       [&](std::int64_t x) { return rivals_.any(x, most); }),
                1);
  }
  Length start_fresh(std::int64_t work, std::int64_t beyond = 0) {
    return less(fresh(checked_add(work, 1), checked_add(beyond, 1)), 1);
  }

  static Length less(Length length, std::int64_t by) {
    if (length) *length -= by;
    return length;
  }
  static Length plus(Length length, std::int64_t by) {
    if (length) *length = checked_add(*length, by);
    return length;
  }
  static Length lesser(Length a, Length b) { return !a ? b : (!b ? a : std::min(a, b)); }
  static Length greater(Length a, Length b) { return !a || !b ? std::nullopt : std::max(a, b); }

  /// All nodes of the own job that may be in the way count like those of rivals.
  [[nodiscard]] std::int64_t beside(std::size_t v) const {
    std::int64_t sum = 0;
    for (const std::size_t u : state_.facts(index_).beside[v]) {
      sum = checked_add(sum, checked_add(worst(u), rivals_.low_block()));
    }
    return sum;
  }

  Length response(std::size_t v) {
    const std::int64_t own = checked_add(worst(v), beside(v));
    switch (service_of(server_)) {
      case ServiceKind::own:
        return own;
      case ServiceKind::fifo:
        return in_turn(own, task_.nodes[v].turns);
      case ServiceKind::preemptive:
        if (server_.engines > 1) return on_cores(v);
        return is_by_deadline(server_) ? any(own, before_deadline(v)) : fresh(own);
      case ServiceKind::window:
        if (is_by_deadline(server_)) return any(checked_add(edf_blocking(v), own), before_deadline(v));
        return server_.engines > 1 ? any(checked_add(blocking_, own)) : in_windows(own);
      case ServiceKind::non_preemptive:
        if (is_by_deadline(server_)) {
          return plus(start_any(checked_add(edf_blocking(v), beside(v)), before_deadline(v)), worst(v));
        }
        if (!start_ || start_beside_ != beside(v)) start_ = non_preemptive_start(beside(v));
        start_beside_ = beside(v);
        return plus(*start_, worst(v));
      case ServiceKind::levels:
        if (is_by_deadline(server_)) return any(checked_add(edf_blocking(v), own), before_deadline(v));
        return on_levels(own);
    }
    return std::nullopt;
  }

  /// Under deadlines, from a fresh window. The plain form has none.
  [[nodiscard]] Length by_busy_periods(std::size_t v) const {
    const ServiceKind service = service_of(server_);
    const bool by_urgency = service == ServiceKind::preemptive || service == ServiceKind::non_preemptive ||
                            service == ServiceKind::window;
    const bool has_windows =
        by_urgency && is_by_deadline(server_) && server_.engines == 1 && state_.form() == ChainForm::chain;
    return has_windows ? response_by_deadlines(state_, index_, v, supply_, limit_) : std::nullopt;
  }

  /// It waits only while all cores are busy with others.
  Length on_cores(std::size_t v) {
    std::vector<std::int64_t> others;
    for (const std::size_t u : state_.facts(index_).beside[v]) others.push_back(worst(u));
    std::vector<Int128> most;
    if (is_by_deadline(server_)) most = before_deadline(v);
    return found(min_length(
        worst(v), limit_, supply_,
        [&](std::int64_t x) { return rivals_.all_cores_busy(x, server_.engines, others, most) + worst(v); },
        [] { return Int128{0}; }));
  }

  /// Every other task has one node at most of each line in the queue.
  [[nodiscard]] Length in_turn(std::int64_t own, std::int64_t turns) const {
    for (const std::size_t other : state_.clients(own_.server)) {
      if (other == index_) continue;
      own = checked_add(own, checked_mul(work_in_queue(state_, other, own_.server), turns));
    }
    return own;
  }

  [[nodiscard]] std::vector<Int128> before_deadline(std::size_t v) const {
    return rivals_.before_deadline(point_of(task_, server_) - state_.facts(index_).before[v]);
  }
  [[nodiscard]] std::int64_t edf_blocking(std::size_t v) const {
    return longest_blocking(blockers_of(state_, index_, own_.server, latest_reach(state_, index_, v)),
                            rivals_);
  }

  /// The latest start of any own node under FP: from its ready instant, or from the last instant without
  /// more urgent work, when something less urgent or an earlier own node may run.
  Length non_preemptive_start(std::int64_t beside) {
    const Length from_ready = start_any(checked_add(blocking_, beside));
    if (server_.engines > 1) return from_ready;
    Length later = start_fresh(checked_add(blocking_, beside));
    for (const std::size_t u : own_.nodes) {
      if (worst(u) <= blocking_) continue;
      later = greater(later, less(start_fresh(checked_add(worst(u), beside), worst(u)), worst(u)));
    }
    return lesser(from_ready, later);
  }

  /// A block of an earlier own node may run at the start like one of a less urgent task.
  Length in_windows(std::int64_t own) {
    const Length alone = fresh(checked_add(blocking_, own));
    if (is_alone_in_busy_period(alone)) return alone;
    std::int64_t longest = blocking_;
    for (const std::size_t u : own_.nodes) longest = std::max(longest, task_.nodes[u].longest_block.count());
    return longest == blocking_ ? alone : fresh(checked_add(longest, own));
  }

  /// Whether a window that begins without more urgent work and has this length holds one job of the task.
  [[nodiscard]] bool is_alone_in_busy_period(Length length) const {
    return task_.nodes.size() == 1 && length &&
           (!task_.period || checked_add(task_.jitter.count(), *length) <= task_.period->count());
  }

  Length on_levels(std::int64_t own) {
    const std::int64_t work = checked_add(blocking_, own);
    const std::int64_t low = rivals_.low_block();
    Length later = fresh(work);
    if (!is_alone_in_busy_period(later)) {
      for (const std::size_t u : own_.nodes) {
        const std::int64_t earlier = checked_add(worst(u), low);
        later = greater(later, less(fresh(checked_add(checked_add(earlier, low), own), earlier), earlier));
      }
    }
    return lesser(any(work), later);
  }

  const CompositionState& state_;
  std::size_t index_;
  const NodesOnServer& own_;
  const ChainTask& task_;
  const ChainServer& server_;
  RivalsOn rivals_;
  std::int64_t limit_;
  SupplyBound supply_;
  std::int64_t blocking_ = 0;      // under FP
  std::optional<Length> start_;    // non_preemptive_start(), once known
  std::int64_t start_beside_ = 0;  // what it is known for
  bool gave_up_ = false;
};

}  // namespace

NodeResponses node_responses(const CompositionState& state, std::size_t task, const NodesOnServer& own) {
  return NodeSearch{state, task, own}.run();
}

}  // namespace tactus::analysis
