// What is open in a system whose nodes go to servers of their own, and one choice of all of it.
//
// A dimension has a number of values; value 0 is what the file says, where it says something. Beside the
// dimensions a candidate has an order of priorities.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tactus/model/system.hpp"

namespace tactus::plan {

struct Dimension {
  enum class Kind : std::uint8_t {
    policy,   // one of `policies_to_try`
    variant,  // of a part of the task's work
    core,     // of the task's CPU work: one of `NodeChoices::cores`
    sm_core,  // of its GPU work, under a strategy with cores of SMs
    sms,      // of its own: the value + 1
  };
  Kind kind = Kind::policy;
  TaskIndex task = 0;      // of no meaning for `policy`
  std::size_t choice = 0;  // of `variant`: which part
  std::size_t size = 1;
};

struct NodeCandidate {
  std::vector<std::size_t> values;  // by dimension
  /// Most urgent first. Empty: the priorities of the file.
  std::vector<TaskIndex> order;
  /// The same for GPU work alone. Empty: as `order`.
  std::vector<TaskIndex> gpu_order{};
  friend auto operator<=>(const NodeCandidate&, const NodeCandidate&) = default;
};

class NodeChoices {
 public:
  explicit NodeChoices(const System& system);

  [[nodiscard]] const System& system() const { return system_; }
  [[nodiscard]] const std::vector<Dimension>& dimensions() const { return dimensions_; }
  [[nodiscard]] bool has(Dimension::Kind kind) const;
  /// Whether some server serves by fixed priorities, so that their order matters.
  [[nodiscard]] bool has_orders() const { return has_orders_; }
  /// Whether the GPU is one of them and others are, too: its order may be another.
  [[nodiscard]] bool has_gpu_orders() const { return has_gpu_orders_; }
  [[nodiscard]] bool is_empty() const { return dimensions_.empty() && !has_orders_; }
  /// "priorities, cores and variants".
  [[nodiscard]] std::string words() const;

  /// How cores serve with the policy of a candidate.
  [[nodiscard]] CpuScope scope(const NodeCandidate& candidate) const;
  /// Which cores share the work on each place that a dimension of kind `core` has.
  [[nodiscard]] const std::vector<Cores>& places() const { return cores_; }
  /// Whether all work takes the same on two of them.
  [[nodiscard]] bool are_alike(std::size_t place, std::size_t other) const {
    return kinds_[place] == kinds_[other];
  }
  /// The places on which the CPU work of a dimension's task has times, with the variants of the candidate.
  [[nodiscard]] std::vector<std::size_t> places_for(const NodeCandidate& candidate,
                                                    std::size_t dimension) const;

  /// All values 0 and the order of the file.
  [[nodiscard]] NodeCandidate first() const;

  /// The system with all that is chosen; nothing where it breaks a rule (more SMs than there are).
  [[nodiscard]] std::optional<System> complete(const NodeCandidate& candidate) const;
  /// The same with the CPU work of some tasks, by dimension, on further cores, one for each of them, which
  /// are as fast for it as the fastest; where clusters share their work, as many as the largest has.
  [[nodiscard]] std::optional<System> with_cores_apart(const NodeCandidate& candidate,
                                                       const std::vector<bool>& apart) const;

  /// The same with some of the tasks only, in file order, and without chains.
  [[nodiscard]] std::optional<System> with_tasks(const NodeCandidate& candidate,
                                                 const std::vector<bool>& kept) const;

  /// Whether no other candidate is the same with its cores named otherwise: of the cores (or clusters of the
  /// same size) without work the first is taken, and where all share their work there is one place.
  [[nodiscard]] bool is_canonical(const NodeCandidate& candidate) const;
  /// How many candidates there are with one order for all servers, or with another for the GPU; `most` where
  /// there are more.
  [[nodiscard]] std::int64_t count(std::int64_t most, bool with_gpu_orders) const;
  /// Tasks that have an order on the GPU, in the order of a candidate.
  [[nodiscard]] std::vector<TaskIndex> gpu_order(const NodeCandidate& candidate) const;

  /// SMs of tasks that leave no choice: those of the file, and one for each best-effort task.
  [[nodiscard]] std::int64_t given_sms() const;

  /// By task: the variants of its parts.
  [[nodiscard]] std::vector<std::vector<std::size_t>> variants(const NodeCandidate& candidate) const;

 private:
  void open_clusters();
  void add_policies();
  [[nodiscard]] const Policy& policy_of(const NodeCandidate& candidate) const;
  void add_task(TaskIndex index);
  void add(Dimension::Kind kind, TaskIndex task, std::size_t choice, std::size_t size);
  [[nodiscard]] System chosen(const NodeCandidate& candidate) const;

  System system_;
  std::vector<Dimension> dimensions_;
  std::vector<Policy> policies_;
  std::vector<Cores> cores_;
  std::vector<std::size_t> kinds_;  // of these: the first that is like it
  bool has_orders_ = false;
  bool has_gpu_orders_ = false;
};

/// Whether the segment is in the task's work or in one of its variants.
bool may_have(const Task& task, bool (*is_meant)(const Segment&));

}  // namespace tactus::plan
