#include "tactus/analysis/stream_levels.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace tactus::analysis {

namespace {

/// The longest block, whose it is, and the longest of all others.
struct Longest {
  Duration length{};
  std::size_t owner = none;
  Duration of_others{};

  static constexpr std::size_t none = ~std::size_t{0};

  void consider(Duration block, std::size_t task) {
    if (owner == none || block > length) {
      of_others = owner == none ? Duration{} : length;
      length = block;
      owner = task;
    } else {
      of_others = std::max(of_others, block);
    }
  }
  [[nodiscard]] Duration without(std::size_t task) const { return task == owner ? of_others : length; }
};

/// The tasks sorted by urgency: each is less urgent than a task if it comes
/// after that task's bound.
class ByUrgency {
 public:
  ByUrgency(const GpuServer& server, Order order) : server_{server}, order_{order} {
    for (std::size_t i = 0; i < server.tasks.size(); ++i) by_key_.push_back(i);
    std::stable_sort(by_key_.begin(), by_key_.end(),
                     [this](std::size_t a, std::size_t b) { return key(a) < key(b); });
    blocks_.resize(by_key_.size() + 1);
    apart_.resize(by_key_.size() + 1);
    for (std::size_t i = by_key_.size(); i > 0; --i) {
      const GpuTask& task = server.tasks[by_key_[i - 1]];
      blocks_[i - 1] = blocks_[i];
      blocks_[i - 1].consider(task.longest_block, by_key_[i - 1]);
      apart_[i - 1] = apart_[i];
      if (task.blocks_apart) apart_[i - 1].consider(task.longest_block, by_key_[i - 1]);
    }
  }

  struct Below {
    std::size_t tasks = 0;
    Duration block{};
    Duration apart{};
  };
  [[nodiscard]] Below below(std::size_t task) const {
    const std::int64_t bound = key(task) - (order_ == Order::edf ? server_.tasks[task].jitter.count() : 0);
    const auto first =
        std::upper_bound(by_key_.begin(), by_key_.end(), bound,
                         [this](std::int64_t value, std::size_t other) { return value < key(other); });
    const auto place = static_cast<std::size_t>(first - by_key_.begin());
    const bool has_itself = key(task) > bound;
    return {by_key_.size() - place - (has_itself ? 1 : 0), blocks_[place].without(task),
            apart_[place].without(task)};
  }

 private:
  /// Under EDF a task is less urgent than one whose deadline, as far as it is seen in time, is earlier.
  [[nodiscard]] std::int64_t key(std::size_t task) const {
    return order_ == Order::edf ? server_.tasks[task].deadline.count() : static_cast<std::int64_t>(task);
  }

  const GpuServer& server_;
  Order order_;
  std::vector<std::size_t> by_key_;
  std::vector<Longest> blocks_;  // by place: of all from there on
  std::vector<Longest> apart_;
};

}  // namespace

StreamLevels stream_levels(const GpuServer& server, std::int32_t levels, Order order) {
  const std::size_t size = server.tasks.size();
  StreamLevels result;
  result.block_below.resize(size);
  result.block_apart_below.resize(size);
  result.reaches_last_level.resize(size, true);
  if (levels == 1) return result;
  Duration best_effort{};
  for (const BestEffortBlock& block : server.best_effort_blocks) {
    best_effort = std::max(best_effort, block.length);
  }
  const ByUrgency by_urgency{server, order};
  const std::size_t background = server.best_effort_blocks.empty() ? 0 : 1;
  for (std::size_t task = 0; task < size; ++task) {
    const ByUrgency::Below below = by_urgency.below(task);
    result.block_below[task] = std::max(best_effort, below.block);
    result.block_apart_below[task] = below.apart;
    result.reaches_last_level[task] = std::cmp_greater_equal(below.tasks + background, levels - 1);
  }
  return result;
}

}  // namespace tactus::analysis
