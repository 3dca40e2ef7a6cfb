// What a sweep has judged so far. A run can continue from any ledger, so only this must survive a kill.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tactus/sweep/counts.hpp"
#include "tactus/sweep/experiment.hpp"
#include "tactus/sweep/judge.hpp"
#include "tactus/sweep/system_ranges.hpp"

namespace tactus::sweep {

struct PointLedger {
  SystemRanges judged;
  PartCounts sum;
  friend bool operator==(const PointLedger&, const PointLedger&) = default;
};

class Ledger {
 public:
  /// Nothing is judged yet.
  explicit Ledger(const Experiment& experiment);

  /// Adds the verdicts on a chunk. False, and nothing changes, when some of it was judged before: no
  /// system is ever counted twice.
  bool add(const Batch& batch, const PartCounts& part);
  /// Replaces a point as a whole, as read from a file.
  void restore(std::size_t point, PointLedger content);

  [[nodiscard]] std::span<const PointLedger> points() const { return points_; }
  /// Of every point.
  [[nodiscard]] std::int64_t systems_a_point() const { return systems_; }
  /// Of all points together.
  [[nodiscard]] std::int64_t judged() const;
  [[nodiscard]] double part_done() const;
  [[nodiscard]] bool is_finished(std::size_t point) const;
  [[nodiscard]] std::size_t finished() const;
  [[nodiscard]] bool complete() const { return finished() == points_.size(); }
  /// The finished points.
  [[nodiscard]] SweepResult result() const;
  /// What is left to judge, points in order.
  [[nodiscard]] std::vector<Batch> gaps() const;

  friend bool operator==(const Ledger&, const Ledger&) = default;

 private:
  std::vector<PointLedger> points_;
  std::int64_t systems_;
};

}  // namespace tactus::sweep
