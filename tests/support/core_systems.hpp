// Random systems for `sm-cores`, and a plain test of windows that shares nothing with the library.
#pragma once

#include <cstdint>
#include <vector>

#include "tactus/model/system.hpp"

namespace tactus::test {

/// Tasks on one to three cores and gang tasks, without reservations. Distribution:
///   SMs 1 to 3; 1 to 3 tasks on each core, 1 to 3 gang tasks
///   periods of 10, 12, 15, 20, 24, 30, 40, 60 or 120 ms; deadlines uniform in [T/2, T]
///   utilisation of the gang tasks 5 to 50 %; of each core 5 % to 98 % of the rest; both split at random
///   points half of the systems: work that can be stopped anywhere; the others: blocks of 1/20 to 1/2 of the
///   job three quarters EDF, one quarter fixed priorities (deadline-monotonic) arrivals sporadic; no
///   overheads, no jitter
System core_system(std::uint64_t seed);

/// What one server must get: in every interval of `length` at least `work` (EDF), or in one of each task's
/// (fixed priorities).
class PlainServer {
 public:
  /// The tasks of a core, or the gang tasks (`core` < 0), in deadline-monotonic order if the order is fp.
  PlainServer(const System& system, int core);

  [[nodiscard]] bool holds(Duration budget, Duration period) const;
  [[nodiscard]] bool is_empty() const { return points_.empty(); }

 private:
  struct Point {
    std::int64_t length = 0;
    std::int64_t work = 0;
  };
  bool one_is_enough_ = false;
  std::int64_t longest_block_ = 0;
  std::vector<std::vector<Point>> points_;
};

/// Whether every core and the gang tasks hold when the gang window ends each period and the local one fills
/// the rest.
bool holds_plainly(const std::vector<PlainServer>& cores, const PlainServer& gang, Duration gang_budget,
                   Duration period);

std::vector<PlainServer> plain_cores(const System& system);

}  // namespace tactus::test
