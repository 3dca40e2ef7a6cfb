#include "tactus/analysis/interference.hpp"

#include <algorithm>
#include <limits>

#include "tactus/analysis/effort.hpp"

namespace tactus::analysis {

namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

/// Lengths and jitter have 63 bits each: their sum has 64.
std::uint64_t late(std::int64_t length, std::int64_t jitter) {
  return static_cast<std::uint64_t>(length) + static_cast<std::uint64_t>(jitter);
}

std::uint64_t jobs_in(std::uint64_t length, std::int64_t period, End end) {
  const auto divisor = static_cast<std::uint64_t>(period);
  if (end == End::closed) return length / divisor + 1;
  return length == 0 ? 0 : (length - 1) / divisor + 1;
}

}  // namespace

void Interference::add(Duration cost, Duration period, Duration jitter) {
  add_to_sums(tasks_.emplace_back(Interferer{cost.count(), period.count(), jitter.count()}));
}

void Interference::add_events(Duration cost, Duration period, Duration jitter) {
  add_to_sums(events_.emplace_back(Interferer{cost.count(), period.count(), jitter.count()}));
}

void Interference::add_to_sums(const Interferer& added) {
  const auto [place, is_new] = place_of_.try_emplace({added.period, added.jitter}, alike_.size());
  if (is_new) alike_.push_back({0, added.period, added.jitter});
  alike_[place->second].cost += added.cost;
  utilisation_.add({added.cost, added.period});
  if (added.jitter > 0) ahead_ += static_cast<Int128>(added.jitter) * added.cost / added.period;
}

Int128 Interference::in(std::int64_t length, End end) const {
  spend_steps(alike_.size());
  Int128 work = 0;
  for (const Alike& tasks : alike_) {
    work += static_cast<Int128>(jobs_in(late(length, tasks.jitter), tasks.period, end)) * tasks.cost;
  }
  return work;
}

Int128 Interference::events_in(std::int64_t length, End end) const {
  Int128 work = 0;
  for (const Interferer& event : events_) {
    work += static_cast<Int128>(jobs_in(late(length, event.jitter), event.period, end)) * event.cost;
  }
  return work;
}

std::int64_t Interference::jobs(std::size_t task, std::int64_t length, End end) const {
  return static_cast<std::int64_t>(jobs_in(late(length, tasks_[task].jitter), tasks_[task].period, end));
}

std::optional<std::int64_t> Interference::hyperperiod() const {
  std::optional<std::int64_t> multiple = 1;
  for (const Alike& tasks : alike_) {
    if (multiple) multiple = checked_lcm(*multiple, tasks.period);
  }
  return multiple;
}

std::strong_ordering Interference::compare_utilisation(Ratio limit) const {
  if (const auto decided = compare(utilisation_, limit)) return *decided;
  spend_steps(tasks_.size() + events_.size());
  std::vector<Ratio> terms;
  for (const Interferer& task : tasks_) terms.push_back({task.cost, task.period});
  for (const Interferer& event : events_) terms.push_back({event.cost, event.period});
  return compare_exactly(terms, limit);
}

Int128 Interference::min_by_share(Int128 work, const SupplyBound& supply) const {
  // supply(t) <= share t and in(t) >= sum (t + J) C/T, so (share - U) t >= work + sum J C/T.
  RatioSum share;
  share.add({supply.budget(), supply.period()});
  if (share.upper() <= utilisation_.lower()) return static_cast<Int128>(largest) + 1;
  const UInt128 left = share.upper() - utilisation_.lower();
  const Int128 needed = work + ahead_;
  if (needed > largest) return static_cast<Int128>(largest) + 1;
  const UInt128 length = (static_cast<UInt128>(needed) << 64U) / left;
  return length > static_cast<UInt128>(largest) ? static_cast<Int128>(largest) + 1
                                                : static_cast<Int128>(length);
}

FixedPoint Interference::min_length(Int128 work, End end, const SupplyBound& supply, std::int64_t limit,
                                    std::int64_t from) const {
  using Outcome = FixedPoint::Outcome;
  constexpr int max_rounds = 1'000'000;
  if (supply.is_empty()) return {Outcome::passes, from};
  const Int128 start = std::max<Int128>(from, alike_.empty() ? work : min_by_share(work, supply));
  if (start > limit) return {Outcome::passes, from};
  auto length = static_cast<std::int64_t>(start);
  for (int round = 0; round < max_rounds; ++round) {
    // Jobs that are seen together with the job count even in an interval of length 0.
    const Int128 needed = work + in(std::max<std::int64_t>(length, 1), end);
    if (needed > limit) return {Outcome::passes, length};
    const Int128 next = supply.time_for(needed);
    if (next > limit) return {Outcome::passes, length};
    if (next <= length) return {Outcome::found, length};
    length = static_cast<std::int64_t>(next);
  }
  return {Outcome::gave_up, length};
}

}  // namespace tactus::analysis
