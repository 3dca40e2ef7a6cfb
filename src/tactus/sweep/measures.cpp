#include "tactus/sweep/measures.hpp"

#include <algorithm>

#include "tactus/model/task.hpp"

namespace tactus::sweep {

namespace {

constexpr unsigned bits = 32;
constexpr std::uint64_t million = 1'000'000;

std::int64_t rounded_quotient(UInt128 dividend, UInt128 divisor) {
  return static_cast<std::int64_t>((dividend + divisor / 2) / divisor);
}

}  // namespace

void RatioMean::add(Duration numerator, Duration denominator) {
  constexpr UInt128 most = UInt128{1} << (31U + bits);
  const UInt128 steps =
      (static_cast<UInt128>(numerator.count()) << bits) / static_cast<std::uint64_t>(denominator.count());
  sum += std::min(steps, most);
  ++tasks;
}

void RatioMean::add(const RatioMean& more) {
  sum += more.sum;
  tasks += more.tasks;
}

std::optional<std::int64_t> RatioMean::mean() const {
  if (tasks == 0) return std::nullopt;
  return rounded_quotient(sum * million, static_cast<UInt128>(tasks) << bits);
}

void Sums::add(const Sums& more) {
  weight += more.weight;
  accepted_weight += more.accepted_weight;
  bound_deadline.add(more.bound_deadline);
  bound_observed.add(more.bound_observed);
  broken += more.broken;
}

std::optional<std::int64_t> Sums::weighted() const {
  if (weight == 0) return std::nullopt;
  return rounded_quotient(accepted_weight * million, weight);
}

std::optional<std::int64_t> Sums::of(Measure measure) const {
  if (measure == Measure::weighted) return weighted();
  return measure == Measure::bound_deadline ? bound_deadline.mean() : bound_observed.mean();
}

UInt128 utilisation_of(const System& system) {
  // Independent of the strategy, so that a system has the same weight under all policies.
  System plain = system;
  plain.policy = {};
  plain.virtual_sms.clear();
  UInt128 sum = 0;
  for (TaskIndex task = 0; task < plain.tasks.size(); ++task) {
    const Task& one = plain.tasks[task];
    if (!one.period) continue;
    UInt128 work = 0;
    for (std::size_t segment = 0; segment < one.work.nodes.size(); ++segment) {
      work += static_cast<std::uint64_t>(whole_time(plain, task, segment).worst.count());
    }
    sum += (work << bits) / static_cast<std::uint64_t>(one.period->count());
  }
  return sum;
}

}  // namespace tactus::sweep
