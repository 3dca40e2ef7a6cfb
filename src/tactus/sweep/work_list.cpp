#include "tactus/sweep/work_list.hpp"

#include <algorithm>
#include <utility>

namespace tactus::sweep {

namespace {

constexpr double seconds_of_a_batch = 0.02;
constexpr double largest_chunk = 4096;
constexpr double quick_seconds = 0.05;

}  // namespace

WorkList::WorkList(std::vector<Batch> gaps) : gaps_{std::move(gaps)} {
  for (const Batch& gap : gaps_) left_ += gap.systems.count();
}

Batch WorkList::next(unsigned threads) {
  const auto by_time =
      static_cast<std::int64_t>(std::clamp(seconds_of_a_batch / seconds_a_system_, 1.0, largest_chunk));
  const std::int64_t fair = std::max(std::int64_t{1}, left_ / (4 * std::int64_t{threads}));
  Batch& gap = gaps_[current_];
  Batch batch = gap;
  batch.systems.end = std::min(gap.systems.end, gap.systems.first + std::min(by_time, fair));
  gap.systems.first = batch.systems.end;
  left_ -= batch.systems.count();
  if (gap.systems.count() == 0) ++current_;
  return batch;
}

void WorkList::learn(std::int64_t systems, std::chrono::duration<double> took) {
  if (systems <= 0) return;
  constexpr double least = 1e-9;
  const double measured = std::max(least, took.count() / static_cast<double>(systems));
  // A chunk grows at most fourfold at once: the first systems may not be like the others.
  seconds_a_system_ = std::max(measured, seconds_a_system_ / 4);
}

bool WorkList::are_quick() const { return seconds_a_system_ < quick_seconds; }

}  // namespace tactus::sweep
