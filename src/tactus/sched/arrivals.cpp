#include "tactus/sched/arrivals.hpp"

#include <algorithm>

namespace tactus::sched {

namespace {

bool earlier(const Release& a, const Release& b) {
  return a.nominal != b.nominal ? a.nominal < b.nominal : a.task < b.task;
}

bool later(const Release& a, const Release& b) { return earlier(b, a); }

}  // namespace

Arrivals::Arrivals(const System& system, const Draws& draws, Time end)
    : system_{system}, draws_{draws}, end_{end} {
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    const Task& description = system.tasks[task];
    fixed_separation_.push_back(description.arrival == Arrival::periodic ? *description.period : Duration{});
    const Time first =
        has_scripted_releases(description) ? *description.jobs.front().release : time_at(description.offset);
    if (first < end) heap_.push_back({first, task, 0});
  }
  restore_heap();
}

std::optional<Release> Arrivals::after(const Release& release) const {
  Duration separation = fixed_separation_[release.task];
  if (separation == Duration{}) {
    const Task& task = system_.tasks[release.task];
    if (!repeats(task)) return std::nullopt;
    if (has_scripted_releases(task)) return scripted_after(task, release);
    separation = draws_.separation(release.task, release.number, task);
  }
  const Time nominal = saturating_add(release.nominal, separation);
  if (nominal >= end_) return std::nullopt;
  return Release{nominal, release.task, release.number + 1};
}

std::uint64_t Releases::jobs_before(Time by, Duration deadline) const {
  const Time due = saturating_add(first.nominal, deadline);
  if (due == never || due > by) return 0;
  if (separation == Duration{}) return 1;
  return std::min(jobs, static_cast<std::uint64_t>((by - due) / separation) + 1);
}

Releases Arrivals::alike_until(const Release& release, Time until) const {
  const Duration separation = fixed_separation_[release.task];
  const Time last = std::min(until, end_ == never ? never : end_ - nanoseconds(1));
  if (separation == Duration{} || last < release.nominal) return {.first = release, .last = release};
  const std::int64_t further = (last - release.nominal) / separation;
  return {.first = release,
          .last = {release.nominal + further * separation, release.task,
                   release.number + static_cast<std::uint64_t>(further)},
          .jobs = static_cast<std::uint64_t>(further) + 1,
          .separation = separation};
}

std::optional<Release> Arrivals::scripted_after(const Task& task, const Release& release) const {
  const std::uint64_t number = release.number + 1;
  if (number >= task.jobs.size() || *task.jobs[number].release >= end_) return std::nullopt;
  return Release{*task.jobs[number].release, release.task, number};
}

Release Arrivals::take() {
  const Release first = heap_.front();
  if (const std::optional<Release> next = after(first)) {
    replace_first(*next);
  } else {
    const Release last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) replace_first(last);
  }
  return first;
}

void Arrivals::restore_heap() { std::make_heap(heap_.begin(), heap_.end(), later); }

void Arrivals::replace_first(const Release& entry) {
  const std::size_t size = heap_.size();
  std::size_t place = 0;
  for (std::size_t child = 1; child < size; child = 2 * place + 1) {
    if (child + 1 < size) child += earlier(heap_[child + 1], heap_[child]) ? 1U : 0U;
    if (!earlier(heap_[child], entry)) break;
    heap_[place] = heap_[child];
    place = child;
  }
  // Field by field: `entry` was just written field by field, and one wide load of it would stall on those
  // stores.
  heap_[place].nominal = entry.nominal;
  heap_[place].task = entry.task;
  heap_[place].number = entry.number;
}

}  // namespace tactus::sched
