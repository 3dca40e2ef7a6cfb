// The least window budget of one server of `sm-cores`.
//
// The tests window-blocks (which is window-sbf where all work can be stopped anywhere) and window-fp compare
// the demand of the tasks with the supply of a window of E every P, where E is the budget less the time lost
// to the machine and to the last block: budget = E + lost. That supply never falls when E grows, and never
// grows when P grows with E fixed, since then every window begins later. So
//   - for a fixed period there is a least budget, and every larger one suffices too;
//   - the least budget never falls when the period grows.
// The search over periods depends on both.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tactus/analysis/demand_judge.hpp"
#include "tactus/analysis/gpu_tasks.hpp"
#include "tactus/base/ratio_sum.hpp"
#include "tactus/plan/plan.hpp"

namespace tactus::plan {

/// How the server orders its jobs, and whether plan may choose.
enum class ServerOrder : std::uint8_t { edf, fixed_priorities, free_priorities };

/// The work that must be supplied in every interval of this length.
struct DemandPoint {
  Duration interval{};
  Int128 work = 0;
};

class ServerBudget {
 public:
  /// `late`: how much of each window is lost to the machine. Fixed priorities are those of the order of the
  /// tasks in the server.
  ServerBudget(analysis::GpuServer server, Duration late, ServerOrder order);

  /// Whether the server holds with all of the time; if not, no window suffices.
  [[nodiscard]] bool can_hold() const { return can_hold_; }

  /// The least budget of a window of every `period`. It may be longer than the period: then the server holds
  /// with no window of this period, and any longer period needs at least as much. Only if it can hold.
  Duration min_budget(Duration period);

  /// Whether it holds in this window.
  [[nodiscard]] bool holds(Duration budget, Duration period) const;

  [[nodiscard]] const analysis::GpuServer& server() const { return server_; }
  [[nodiscard]] Duration lost() const { return lost_; }
  [[nodiscard]] Duration shortest_deadline() const;

  /// Which task fails under a supply, and by how much. EDF: the task whose deadline ends the interval in
  /// which demand exceeds supply, and the excess. Fixed priorities: the most urgent task that misses in the
  /// order of the server, and its bound less its deadline. Nothing where the server holds.
  [[nodiscard]] std::optional<Shortfall> shortfall(const System& system,
                                                   const analysis::SupplyBound& supply) const {
    return order_ == ServerOrder::edf ? shortfall_of_demand(system, supply)
                                      : shortfall_of_responses(system, supply);
  }

 private:
  [[nodiscard]] bool holds_under(const analysis::SupplyBound& supply) const;
  [[nodiscard]] Duration min_by_share(Duration period) const;
  [[nodiscard]] Duration min_by_witness(Duration period, Duration from);
  void keep(const DemandPoint& point);
  [[nodiscard]] Duration min_by_halving(Duration period, Duration from) const;
  [[nodiscard]] std::optional<Shortfall> shortfall_of_demand(const System& system,
                                                             const analysis::SupplyBound& supply) const;
  [[nodiscard]] std::optional<Shortfall> shortfall_of_responses(const System& system,
                                                                const analysis::SupplyBound& supply) const;

  analysis::GpuServer server_;
  ServerOrder order_;
  Duration lost_{};
  /// The demand test of window-blocks without its supply: for EDF, unless a job may be seen only after its
  /// deadline.
  std::optional<analysis::DemandProblem> problem_;
  RatioSum utilisation_;
  bool can_hold_ = false;
  // EDF: intervals that decided before often decide for other periods too. First those of the first
  // deadlines.
  std::vector<DemandPoint> points_;
  std::size_t first_points_ = 0;
  std::size_t next_witness_ = 0;
  // The last answer, where the next search starts.
  Duration known_period_{};
  Duration known_supply_{};
};

}  // namespace tactus::plan
