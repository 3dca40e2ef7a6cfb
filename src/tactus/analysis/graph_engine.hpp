// What the engine's time does to graphs of nodes.
//
// An action is the handling of an event or a submission. Let a_g be the time of the actions of group g (all
// for a node of a job, a release, a watched deadline or budget), T_g the least distance of its jobs, and let
// all of it be done within X_g of an instant that is fixed to the job's release. Then in an interval of
// length t the engine is busy for at most
//   B(t) = sum over g of (floor((t + X_g)/T_g) + 1) a_g <= beta + rho t,
//   rho = sum a_g/T_g, beta = sum a_g (1 + X_g/T_g).
//
// Claim 1. A run is a path of kernels and copies of a job, from the release of the job or the end of a CPU
// node to the next CPU node or the end of the job. Let l be the longest time that the servers take for one.
// On its way along a run, into the next CPU node included, a job waits for the engine at most
//   L = B(l + L), the least solution, in all.
// Proof: it waits for the engine only while the engine is busy, and no run takes longer than l + L, by
// induction. In particular no single event waits for longer than L until all that follows from it is done, as
// far as servers can take it.
//
// Claim 2. Where a server is handed the next node only when one has ended (copies, cores that do not
// preempt), m of them lose at most m B(t) of the time of an interval: they are idle with work at hand only
// while the engine is busy. So with works C/(1 - rho), and m beta/(1 - rho) more to do, bounds for servers
// that lose nothing hold.
//
// Proof: m t - m B(t) >= (1 - rho) (m t - m beta/(1 - rho)). When the engine decides to start a node that is
// less urgent, no other is visible; that instant takes the place of its start (priority_points.hpp).
//
// Source: ours.
#pragma once

#include <optional>

#include "tactus/analysis/graph_timing.hpp"

namespace tactus::analysis {

/// What the engine does to nodes. All zero where it needs no time.
class EngineOfGraphs {
 public:
  EngineOfGraphs() = default;

  /// L
  [[nodiscard]] Duration delay() const { return delay_; }
  /// C/(1 - rho), rounded up.
  [[nodiscard]] Duration stretched(Duration work) const;
  /// beta/(1 - rho), rounded up.
  [[nodiscard]] Duration lost() const { return stretched(burst_); }

  friend bool operator==(const EngineOfGraphs&, const EngineOfGraphs&) = default;

 private:
  friend std::optional<EngineOfGraphs> engine_of_graphs(const System&, const GraphTiming&);

  Duration delay_{};
  Duration burst_{};        // beta
  std::uint64_t load_ = 0;  // rho, in 2^-64ths, rounded up
};

/// With nodes as punctual as `timing` says, and a delay that is no less than there. Nothing where none is
/// found: the engine needs all the time there is, or almost all.
std::optional<EngineOfGraphs> engine_of_graphs(const System& system, const GraphTiming& timing);

}  // namespace tactus::analysis
