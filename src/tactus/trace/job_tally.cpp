#include "tactus/trace/job_tally.hpp"

#include <algorithm>
#include <numeric>

namespace tactus::trace {

namespace {

std::uint64_t& place_of(TaskTally& tally, const JobEnded& event) {
  switch (event.fate) {
    case Fate::aborted:
      return tally.aborted;
    case Fate::failed:
      return tally.failed;
    case Fate::skipped:
      return tally.skipped;
    case Fate::no_room:
      return tally.no_room;
    case Fate::full:
      return tally.full;
    case Fate::ran:
      break;
  }
  return event.completion == never ? tally.pending : tally.completed;
}

}  // namespace

void JobTally::on(const JobEnded& event, Time now) {
  TaskTally& tally = tasks_[event.job.task];
  ++place_of(tally, event);
  if (event.missed) ++tally.misses;
  first_miss_.on(event);
  if (is_turned_away(event.fate)) return;
  const Duration age = (event.completion == never ? now : event.completion) - event.release;
  tally.longest_known = std::max(tally.longest_known.value_or(age), age);
  if (event.completion == never) return;
  tally.shortest = std::min(tally.shortest, age);
  tally.longest = std::max(tally.longest, age);
  tally.sum += static_cast<Int128>(age.count());
}

void JobTally::pending(const JobEnded& first, std::uint64_t jobs, std::uint64_t misses, Time now) {
  on(first, now);  // it is the oldest, and the first that is missed
  TaskTally& tally = tasks_[first.job.task];
  tally.released += jobs;
  tally.pending += jobs - 1;
  tally.misses += misses - (first.missed ? 1 : 0);
}

std::uint64_t JobTally::misses() const {
  return std::accumulate(tasks_.begin(), tasks_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const TaskTally& tally) { return sum + tally.misses; });
}

void correct(TaskStatistics& statistics, const TaskTally& tally) {
  const bool all_seen = statistics.completed == tally.completed;
  statistics.released = tally.released;
  statistics.completed = tally.completed;
  statistics.misses = tally.misses;
  statistics.full = tally.full;
  if (tally.completed == 0) return;
  ResponseTimes exact = statistics.response.value_or(ResponseTimes{.p99 = tally.longest});
  exact.min = tally.shortest;
  exact.mean = rounded_mean(tally.sum, tally.completed);
  exact.max = tally.longest;
  exact.p99_exact = exact.p99_exact && all_seen;
  statistics.response = exact;
}

}  // namespace tactus::trace
