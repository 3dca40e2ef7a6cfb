// Who is in the way of one task on one server: rivals, whose work comes first, and blockers, which have begun
// and are not interrupted. Spec section 3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tactus/analysis/composition_state.hpp"

namespace tactus::analysis {

/// The tasks whose work comes before that of one task on one server.
class RivalsOn {
 public:
  RivalsOn(const CompositionState& state, std::size_t task, std::size_t server);

  /// c: after each node of a rival one block of a less urgent task may come, so long. 0 without levels.
  [[nodiscard]] std::int64_t low_block() const { return low_block_; }

  /// By rival: under EDF, the most that it can have before a deadline in its last `length`.
  [[nodiscard]] std::vector<Int128> before_deadline(std::int64_t length) const;

  /// Their work in any window; no more than `most`, by rival, where that is given.
  [[nodiscard]] Demand any(std::int64_t length, std::span<const Int128> most = {}) const;
  /// Their work in a window at whose start nothing of theirs that has reached the server is unfinished.
  [[nodiscard]] Demand fresh(std::int64_t length) const;
  /// On several cores that share their work: the longest time in a window during which all of them can be
  /// busy with rivals and with other nodes of the own job, `beside`.
  [[nodiscard]] Demand all_cores_busy(std::int64_t length, std::int32_t cores,
                                      std::span<const std::int64_t> beside,
                                      std::span<const Int128> most = {}) const;
  /// The same by the number of jobs alone.
  [[nodiscard]] Int128 jobs_in_fresh(std::int64_t length) const;

  /// FP: no length is enough for `work` before this one.
  [[nodiscard]] Int128 min_length(Int128 work, const SupplyBound& supply) const;

  /// One that has no bound, if any.
  [[nodiscard]] std::optional<std::size_t> without_bound() const;

 private:
  template <class Function>
  void for_each(const Function& function) const {
    for (const TaskLoad& rival : rivals_) {
      if (rival.task != task_) function(rival.load);
    }
  }

  std::size_t task_;
  std::span<const TaskLoad> rivals_;
  std::int64_t low_block_ = 0;
};

/// A node of another task that may be running, and is not interrupted.
struct NodeBlocker {
  std::size_t task = 0;
  std::size_t node = 0;
  std::int64_t length = 0;
};

/// What can block a task's nodes on a server that have reached it by `reached` (of meaning under EDF).
std::vector<NodeBlocker> blockers_of(const CompositionState& state, std::size_t task, std::size_t server,
                                     std::optional<std::int64_t> reached);

/// S + o: when a node has reached its server at the latest.
std::optional<std::int64_t> latest_reach(const CompositionState& state, std::size_t task, std::size_t node);

/// B: the longest of them, at least c.
std::int64_t longest_blocking(std::span<const NodeBlocker> blockers, const RivalsOn& rivals);

/// FIFO: the most work of another task that can be in the queue at once, one node of each line.
std::int64_t work_in_queue(const CompositionState& state, std::size_t task, std::size_t server);

}  // namespace tactus::analysis
