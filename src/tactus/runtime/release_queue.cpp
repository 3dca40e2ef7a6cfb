#include "tactus/runtime/release_queue.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>

#include "tactus/model/dispatch.hpp"

namespace tactus::runtime {

namespace {

std::vector<Duration> delays(const System& system, bool plays_overheads) {
  std::vector<Duration> all;
  for (const Task& task : system.tasks) {
    const Duration seen = plays_overheads ? dispatch_overheads(system, task).release : Duration{};
    all.push_back(checked_add(task.jitter, seen));
  }
  return all;
}

/// The number of releases that can be waiting to be seen: for each task, those within its longest delay.
std::size_t most_waiting(const System& system, const std::vector<Duration>& delays) {
  constexpr std::int64_t limit = 1 << 20;
  std::int64_t most = 0;
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    const Duration period = std::max(system.tasks[i].period.value_or(Duration::max()), nanoseconds(1));
    if (delays[i] > Duration{}) most = std::min(limit, most + std::min(limit, delays[i] / period + 2));
  }
  return static_cast<std::size_t>(most);
}

}  // namespace

ReleaseQueue::ReleaseQueue(const System& system, const sched::Draws& draws, const ResidentJobs& resident,
                           Callers& callers, JobBook& book, const Options& options)
    : system_{system},
      draws_{draws},
      callers_{callers},
      book_{book},
      arrivals_{system, draws, options.horizon},
      delay_{delays(system, options.plays_overheads)},
      most_unseen_{most_waiting(system, delay_)},
      most_at_once_{options.most_at_once} {
  arrivals_.remove_if([&](TaskIndex task) { return resident.has(task) || callers.has(task); });
}

void ReleaseQueue::reserve() {
  unseen_.reserve(most_unseen_);
  seen_.reserve(most_at_once_);
}

void ReleaseQueue::collect(Time now, sched::Events& events) {
  seen_.clear();
  collected_ = now;
  while (has_room_for(unseen_.next(), now)) seen_.push_back(unseen_.take());
  while (has_room_for(arrivals_.next(), now)) release(arrivals_.take(), now);
  if (callers_.any()) take_calls(now);
  std::sort(seen_.begin(), seen_.end(), [](const sched::Release& a, const sched::Release& b) {
    return std::tie(a.task, a.number) < std::tie(b.task, b.number);
  });
  for (const sched::Release& job : seen_) {
    events.emplace_back(sched::Released{job.task, job.number, job.nominal});
  }
}

bool ReleaseQueue::has_room_for(Time next, Time now) const {
  return next <= now && next != never && seen_.size() < most_at_once_;
}

void ReleaseQueue::take_calls(Time now) {
  callers_.take([&] { return seen_.size() < most_at_once_; },
                [&](const sched::Release& job) { release(job, now); });
}

void ReleaseQueue::release(const sched::Release& job, Time now) {
  book_.released(job);
  if (const Duration bound = delay_[job.task]; bound > Duration{}) {
    const Duration delay = draws_.release_delay(job.task, job.number, bound);
    const Time seen = saturating_add(job.nominal, delay);
    // Without a free entry the release is seen at once. That is correct, since the delay is only an upper
    // bound.
    if (seen > now && unseen_.size() < most_unseen_) {
      unseen_.add(seen, job);
      return;
    }
  }
  seen_.push_back(job);
}

ReleaseQueue::Rest ReleaseQueue::close(Time reached) {
  Rest rest;
  rest.counts_all = release_what_was_not_looked_at(reached);
  most_at_once_ = std::numeric_limits<std::size_t>::max();
  callers_.close();
  take_calls(never);
  rest.jobs = seen_;
  while (unseen_.size() > 0) rest.jobs.push_back(unseen_.take());
  return rest;
}

/// After a long delay some releases may not have been handled. There can be arbitrarily many when tasks
/// release faster than the engine runs: observers are told of the first ones, the rest is only counted.
bool ReleaseQueue::release_what_was_not_looked_at(Time reached) {
  seen_.clear();
  while (arrivals_.next() <= collected_ && seen_.size() < most_at_once_) release(arrivals_.take(), never);
  if (arrivals_.next() > collected_) return true;
  bool counts_all = true;
  for (const sched::Release& first : arrivals_.remove_if([](TaskIndex) { return true; })) {
    counts_all = leave_out(first, reached) && counts_all;
  }
  return counts_all;
}

/// Counts the jobs of one task from `first` on. False when there are too many.
bool ReleaseQueue::leave_out(const sched::Release& first, Time reached) {
  constexpr std::uint64_t max_steps = 1 << 20;
  std::uint64_t steps = 0;
  std::optional<sched::Release> next = first;
  while (next && next->nominal <= collected_) {
    if (++steps > max_steps) return false;
    const sched::Releases alike = arrivals_.alike_until(*next, collected_);
    const std::uint64_t missed =
        alike.jobs_before(reached, system_.tasks[next->task].deadline.value_or(Duration::max()));
    book_.left_out({.job = {next->task, next->number},
                    .release = next->nominal,
                    .deadline = book_.deadline_of(next->task, next->nominal),
                    .missed = missed > 0},
                   alike.jobs, missed, std::max(reached, next->nominal));
    next = arrivals_.after(alike.last);
  }
  return true;
}

}  // namespace tactus::runtime
