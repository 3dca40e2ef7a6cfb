#include "tactus/plan/node_moves.hpp"

#include <algorithm>
#include <optional>

#include "tactus/plan/node_placement.hpp"
#include "tactus/plan/priorities.hpp"

namespace tactus::plan {

namespace {

using Kind = Dimension::Kind;

constexpr std::size_t max_failing = 3;
constexpr std::size_t max_moves = 64;  // for each of them

class Moves {
 public:
  Moves(const NodeChoices& choices, const NodeCandidate& candidate)
      : choices_{choices},
        candidate_{candidate},
        order_{candidate.order.empty() ? order_of_file(choices.system()) : candidate.order} {}

  void help(TaskIndex task) {
    const std::size_t until = moves_.size() + max_moves;
    raise(task);
    raise_on_gpu(task);
    for (std::size_t i = 0; i < choices_.dimensions().size() && moves_.size() < until; ++i) {
      const Dimension& dimension = choices_.dimensions()[i];
      if (dimension.kind == Kind::sms) {
        if (dimension.task == task) give_sms(i);
      } else if (dimension.task == task || dimension.kind != Kind::core || shares_core(i, task)) {
        change(i);
      }
    }
  }

  [[nodiscard]] std::vector<NodeCandidate> take() && { return std::move(moves_); }

 private:
  void raise(TaskIndex task) {
    if (choices_.has_orders()) raise(task, order_, &NodeCandidate::order);
  }
  void raise_on_gpu(TaskIndex task) {
    if (choices_.has_gpu_orders()) raise(task, choices_.gpu_order(candidate_), &NodeCandidate::gpu_order);
  }

  /// To every higher place; where there are many, 1, 2, 4, ... places up and the first.
  void raise(TaskIndex task, const std::vector<TaskIndex>& order,
             std::vector<TaskIndex> NodeCandidate::*which) {
    const auto place = static_cast<std::size_t>(std::find(order.begin(), order.end(), task) - order.begin());
    if (place == order.size()) return;
    constexpr std::size_t few = 12;
    for (std::size_t up = 1; up <= place;) {
      NodeCandidate moved = candidate_;
      moved.*which = order;
      const auto at = (moved.*which).begin() + static_cast<std::ptrdiff_t>(place);
      std::rotate(at - static_cast<std::ptrdiff_t>(up), at, at + 1);
      moves_.push_back(std::move(moved));
      if (up == place) break;
      up = place <= few ? up + 1 : std::min(up * 2, place);
    }
  }

  void change(std::size_t dimension) {
    for (std::size_t value = 0; value < choices_.dimensions()[dimension].size; ++value) {
      if (value == candidate_.values[dimension]) continue;
      NodeCandidate moved = candidate_;
      moved.values[dimension] = value;
      if (choices_.scope(moved) != choices_.scope(candidate_)) moved = spread_over_clusters(choices_, moved);
      // Where clusters have been filled by their load, other names for them are no reason to give up.
      const bool is_new = choices_.scope(moved) == CpuScope::clustered || choices_.is_canonical(moved);
      if (is_new) moves_.push_back(std::move(moved));
    }
  }

  /// Whether the CPU work that a dimension places is on the core of the task.
  [[nodiscard]] bool shares_core(std::size_t dimension, TaskIndex task) const {
    const std::optional<System> system = choices_.complete(candidate_);
    return !system || cores_of(*system, choices_.dimensions()[dimension].task, Node{}) ==
                          cores_of(*system, task, Node{});
  }

  /// One more, or twice as many; where there are too few, from the task that has most.
  void give_sms(std::size_t dimension) {
    for (const std::size_t more : {std::size_t{1}, candidate_.values[dimension] + 1}) {
      NodeCandidate moved = candidate_;
      moved.values[dimension] =
          std::min(moved.values[dimension] + more, choices_.dimensions()[dimension].size - 1);
      moves_.push_back(moved);
      std::optional<std::size_t> richest;
      for (std::size_t i = 0; i < choices_.dimensions().size(); ++i) {
        if (choices_.dimensions()[i].kind != Kind::sms || i == dimension || moved.values[i] < more) continue;
        if (!richest || moved.values[i] > moved.values[*richest]) richest = i;
      }
      if (!richest) continue;
      moved.values[*richest] -= more;
      moves_.push_back(std::move(moved));
    }
  }

  const NodeChoices& choices_;
  const NodeCandidate& candidate_;
  std::vector<TaskIndex> order_;
  std::vector<NodeCandidate> moves_;
};

}  // namespace

std::vector<NodeCandidate> node_moves(const NodeChoices& choices, const NodeCandidate& candidate,
                                      const NodeJudgement& judgement) {
  Moves moves{choices, candidate};
  std::size_t helped = 0;
  // Where it fails for another reason than a response time, any task may be moved.
  const bool some_late = std::any_of(judgement.tasks.begin(), judgement.tasks.end(),
                                     [](std::int64_t excess) { return excess > 0; });
  const std::vector<TaskIndex> order =
      candidate.order.empty() ? order_of_file(choices.system()) : candidate.order;
  for (const TaskIndex task : order) {
    if (some_late && judgement.tasks[task] == 0) continue;
    moves.help(task);
    if (++helped == max_failing && some_late) break;
  }
  return std::move(moves).take();
}

}  // namespace tactus::plan
