// Response times of chains by groups of stages: never more than R1 to R4 of federated_response.hpp.
//
// A job's response is the sum of the times that consecutive groups of its stages take, from the instant the
// first stage of a group is ready until its last one is done. Any division of the chain into groups gives a
// bound; the least one is found by dynamic programming. In a group of length r, own(group) the worst cases of
// its stages, the time divides as in federated_response.hpp:
//   one stage   GRhi, CR_j or MR_j
//   F2          sum GRhi + sum MR + sum CLhi + sum CWmax(r)
//   F3          sum GRhi + sum MLhi + blocked(m) + sum CR + sum MWmax(r)
//   F4          own(group) + blocked(m) + sum (CPU and copies together)max(r)
// and r is the least fixed point. m is how many copy stages the group issues. A group that ends with a copy:
// its last chunk is not interrupted once it runs, so its latest start is computed,
// and its length added. Groups that begin or end with GPU stages need not be tried, nor F2 with copies or F3
// with CPU stages at an end: without them the interval is shorter.
//
// CPU and copies together: a more urgent task is on one server at a time, so its work on both is that of one
// chain whose gaps are its GPU stages. On another core only its copies count.
//
// A more urgent task that never leaves its CPU has no carry-in: let an interval begin, before the group
// does, at the last instant with no more urgent CPU work pending. From there on the core is busy until the
// group begins, so the sums hold for that longer interval, and such a task has no job left from before.
//
// blocked(m): every copy stage waits for at most one less urgent chunk, one that runs when it is requested,
// and each chunk of each less urgent job does so once at most. If all tasks keep their deadlines, jobs of
// task l that run in an interval of length r < D are released in less than r + D_l, so there are no more than
// ceil((r + D_l)/T_l): the m longest chunks among those, not m times the longest; all chunks of a stage count
// as long as its longest. That presumes what is to be proven for less urgent tasks. It is right when all
// tasks are proven: consider the first job that exceeds its
// bound; until then every job kept its deadline, so the bound of that job holds. Where one task fails,
// blocked(m) = m B, which presumes nothing, gives the bounds of the others.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tactus/analysis/chain_workload.hpp"
#include "tactus/analysis/federated_engine.hpp"
#include "tactus/analysis/federated_tasks.hpp"

namespace tactus::analysis {

/// The workload of a more urgent task, for groups.
struct ChainAbove {
  std::int32_t core = 0;
  ChainWorkload cpu;
  ChainWorkload copies;
  ChainWorkload both;

  ChainAbove(const FederatedTask& task, const Stages& stages, Duration response);
};

/// The longest total blocking of so many copies of a task, by number of copies: [0] is 0.
std::vector<Duration> copies_blocked(const FederatedTasks& tasks, std::size_t index, LessUrgent less_urgent);

class ChainGroups {
 public:
  /// `above` must outlive it. Fixed points end at D - J, which must not be negative.
  ChainGroups(const FederatedTask& task, std::span<const ChainAbove> above, std::vector<Duration> blocked);

  struct Bound {
    std::optional<Duration> length;  // the least, without J; nothing where every division passes D - J
    bool gave_up = false;            // some fixed point was not found in a million rounds
  };
  [[nodiscard]] Bound bound(const Stages& stages);

 private:
  using Chains = std::vector<const ChainWorkload*>;
  struct Group;

  std::optional<Duration> found(const FixedPoint& point);

  [[nodiscard]] std::optional<Duration> latest_copy_start(Duration before);
  [[nodiscard]] std::optional<Duration> alone(const Stage& stage);
  [[nodiscard]] std::optional<Duration> together(const Group& group, Duration limit);
  [[nodiscard]] std::optional<Duration> fixed_point(const Chains& chains, const Group& group, Duration own,
                                                    Duration limit);

  Duration limit_;
  std::vector<Duration> blocked_;
  Chains cpu_;
  Chains copies_;
  Chains both_;
  std::optional<Duration> copy_start_;  // latest start of one chunk after its request
  bool gave_up_ = false;
};

}  // namespace tactus::analysis
