#include "tactus/plan/stream_orders.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "tactus/analysis/interference.hpp"
#include "tactus/analysis/response_judge.hpp"
#include "tactus/plan/audsley.hpp"

namespace tactus::plan {

using analysis::GpuServer;
using analysis::GpuTask;
using analysis::Interference;
using analysis::SupplyBound;

namespace {

/// The effect of the tasks below a level on those above.
struct Below {
  std::int64_t tasks = 0;          // best-effort tasks fill one level
  Duration block{};                // the longest
  Duration apart{};                // the longest of kernels whose blocks need not start together
  Duration holder{};               // the longest blocking by a task in the last level
  std::vector<Duration> engine{};  // what the engine does for each, the largest first
};

class Search {
 public:
  Search(const GpuServer& server, const StreamRules& rules, const Watch& watch)
      : server_{server},
        rules_{rules},
        watch_{watch},
        max_tried_{max_tried_levels * 20 / std::max<std::int64_t>(20, static_cast<std::int64_t>(size()))} {
    for (const analysis::BestEffortBlock& block : server.best_effort_blocks) {
      bottom_.block = std::max(bottom_.block, block.length);
      bottom_.tasks = 1;
      if (server.engine) bottom_.engine.push_back(engine_work_of(block.task));
    }
    std::sort(bottom_.engine.rbegin(), bottom_.engine.rend());
    if (rules.levels == 1) bottom_.holder = bottom_.block;
  }

  StreamOrder run() {
    std::vector<std::size_t> left(size());
    std::iota(left.begin(), left.end(), std::size_t{0});
    result_.found = fill(left, bottom_);
    if (!result_.found) {
      lower_.assign(deepest_.rbegin(), deepest_.rend());
      note_first_miss();
    }
    result_.order.assign(lower_.rbegin(), lower_.rend());
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::size_t size() const { return server_.tasks.size(); }

  [[nodiscard]] Duration engine_work_of(TaskIndex task) const {
    const analysis::EngineLoad& load = server_.engine->load;
    const auto found = std::find_if(load.tasks.begin(), load.tasks.end(),
                                    [task](const analysis::EngineTask& one) { return one.task == task; });
    return engine_work(load, *found);
  }

  /// Lo: of less urgent units under way.
  [[nodiscard]] Duration engine_below(const Below& below) const {
    Duration sum{};
    const std::size_t count = std::min(below.engine.size(), static_cast<std::size_t>(rules_.levels - 1));
    for (std::size_t i = 0; i < count; ++i) sum = checked_add(sum, below.engine[i]);
    return sum;
  }

  /// Of no task yet.
  [[nodiscard]] Interference no_interference() const {
    Interference none{size()};
    if (server_.engine) {
      add_events(none, server_.engine->load, server_.engine->earlier, analysis::End::open);
    }
    return none;
  }

  /// The cost of a job beyond its own time with these tasks below it.
  [[nodiscard]] Duration added(const Below& below) const {
    if (rules_.levels == 1) return {};
    return rules_.refill == Refill::immediate && rules_.costs_are_tight ? below.apart : below.block;
  }

  [[nodiscard]] Duration blocking(const Below& below) const {
    return rules_.refill == Refill::immediate ? std::max(below.holder, below.block) : below.holder;
  }

  [[nodiscard]] Below with(Below below, const GpuTask& task) const {
    if (rules_.levels == 1 || below.tasks >= rules_.levels - 1) {
      const Duration disturbed = rules_.levels == 1 ? Duration{} : below.block;
      below.holder = std::max(below.holder, checked_add(task.cost, disturbed));
    }
    ++below.tasks;
    below.block = std::max(below.block, task.longest_block);
    if (task.blocks_apart) below.apart = std::max(below.apart, task.longest_block);
    if (server_.engine) {
      const Duration work = engine_work_of(task.task);
      below.engine.insert(std::upper_bound(below.engine.begin(), below.engine.end(), work, std::greater<>{}),
                          work);
    }
    return below;
  }

  [[nodiscard]] std::optional<Duration> response(const GpuTask& task, const Below& below,
                                                 const Interference& more_urgent, Duration limit) const {
    if (limit <= task.jitter) return std::nullopt;
    const Int128 work = static_cast<Int128>(task.cost.count()) + added(below).count() +
                        blocking(below).count() + engine_below(below).count();
    const analysis::FixedPoint point = more_urgent.min_length(
        work, analysis::End::open, SupplyBound::always(), (limit - task.jitter).count());
    return point.found() ? std::optional{Duration{point.length} + task.jitter} : std::nullopt;
  }

  [[nodiscard]] bool holds(const GpuTask& task, const Below& below, const Interference& more_urgent) const {
    return response(task, below, more_urgent, task.deadline).has_value();
  }

  /// Whether the task can be next above `below`, however the others are ordered above it.
  [[nodiscard]] bool may_hold(std::size_t place, const std::vector<std::size_t>& left,
                              const Below& below) const {
    const GpuTask& task = server_.tasks[left[place]];
    const Duration at_least = added(with(below, task));
    Interference more_urgent = no_interference();
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (i == place) continue;
      const GpuTask& other = server_.tasks[left[i]];
      more_urgent.add(checked_add(other.cost, at_least), other.period, other.jitter);
    }
    return holds(task, below, more_urgent);
  }

  /// Tests a complete order as the analysis does. Returns the most urgent level that misses, 0 where none
  /// does. Levels count from 1, least urgent first. `missing` is called with what that level has below and
  /// above it.
  template <typename Missing>
  [[nodiscard]] std::size_t first_missing_level(const Missing& missing) const {
    std::vector<Below> below{bottom_};  // by level
    for (const std::size_t task : lower_) below.push_back(with(below.back(), server_.tasks[task]));
    Interference more_urgent = no_interference();
    for (std::size_t level = size(); level > 0; --level) {
      const GpuTask& task = server_.tasks[lower_[level - 1]];
      if (!holds(task, below[level - 1], more_urgent)) {
        missing(task, below[level - 1], more_urgent);
        return level;
      }
      more_urgent.add(checked_add(task.cost, added(below[level - 1])), task.period, task.jitter);
    }
    return 0;
  }

  [[nodiscard]] bool order_holds() const {
    return first_missing_level([](const auto&...) {}) == 0;
  }

  void note_first_miss() {
    const std::size_t level =
        first_missing_level([&](const GpuTask& task, const Below& below, const Interference& more_urgent) {
          const std::optional<Duration> far = response(task, below, more_urgent, far_beyond(task));
          if (far) result_.by = *far - task.deadline;
        });
    if (level > 0) result_.fails = lower_[level - 1];
  }

  bool fill(const std::vector<std::size_t>& left, const Below& below) {
    if (left.empty()) return order_holds();
    if (deepest_.empty() || left.size() < fewest_left_) {
      fewest_left_ = left.size();
      deepest_ = left;
      deepest_.insert(deepest_.end(), lower_.rbegin(), lower_.rend());
    }
    for (std::size_t place = left.size(); place > 0; --place) {
      if (++result_.tried > max_tried_) {
        result_.complete = false;
        return false;
      }
      stop_if_asked(watch_);
      if (!may_hold(place - 1, left, below)) continue;
      std::vector<std::size_t> others = left;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(place - 1));
      lower_.push_back(left[place - 1]);
      if (fill(others, with(below, server_.tasks[left[place - 1]]))) return true;
      lower_.pop_back();
      if (!result_.complete) return false;
    }
    return false;
  }

  const GpuServer& server_;
  StreamRules rules_;
  const Watch& watch_;
  std::int64_t max_tried_;
  Below bottom_;
  std::vector<std::size_t> lower_;    // least urgent first
  std::vector<std::size_t> deepest_;  // where the search came furthest: remaining tasks, then those below
  std::size_t fewest_left_ = 0;
  StreamOrder result_;
};

}  // namespace

StreamOrder search_stream_order(const GpuServer& server, const StreamRules& rules, const Watch& watch) {
  return Search{server, rules, watch}.run();
}

}  // namespace tactus::plan
