#include "tactus/sweep/ledger.hpp"

#include <utility>

namespace tactus::sweep {

Ledger::Ledger(const Experiment& experiment)
    : points_(experiment.points.size(), PointLedger{{}, PartCounts{experiment.analyses.size()}}),
      systems_{experiment.systems} {}

bool Ledger::add(const Batch& batch, const PartCounts& part) {
  PointLedger& point = points_[batch.point];
  if (!point.judged.add(batch.systems)) return false;
  point.sum.add(part);
  return true;
}

void Ledger::restore(std::size_t point, PointLedger content) { points_[point] = std::move(content); }

std::int64_t Ledger::judged() const {
  std::int64_t sum = 0;
  for (const PointLedger& point : points_) sum += point.judged.count();
  return sum;
}

double Ledger::part_done() const {
  if (points_.empty()) return 1;
  return static_cast<double>(judged()) / static_cast<double>(systems_) / static_cast<double>(points_.size());
}

bool Ledger::is_finished(std::size_t point) const { return points_[point].judged.count() == systems_; }

std::size_t Ledger::finished() const {
  std::size_t number = 0;
  for (std::size_t point = 0; point < points_.size(); ++point) number += is_finished(point) ? 1U : 0U;
  return number;
}

SweepResult Ledger::result() const {
  SweepResult result;
  result.points.resize(points_.size());
  for (std::size_t point = 0; point < points_.size(); ++point) {
    if (is_finished(point)) result.points[point] = points_[point].sum.counts;
  }
  return result;
}

std::vector<Batch> Ledger::gaps() const {
  std::vector<Batch> all;
  for (std::size_t point = 0; point < points_.size(); ++point) {
    for (const SystemRange& gap : points_[point].judged.gaps(systems_)) all.push_back({point, gap});
  }
  return all;
}

}  // namespace tactus::sweep
