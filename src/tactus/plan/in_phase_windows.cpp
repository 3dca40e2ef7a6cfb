#include "tactus/plan/in_phase_windows.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "tactus/analysis/registry.hpp"

namespace tactus::plan {

namespace {

using analysis::Analysis;
using analysis::Result;

constexpr Duration tick{1};
constexpr std::int64_t max_jobs = 20'000;  // of a schedule that is simulated

bool is_gang_task(const Task& task) { return task.sm.kind == SmAffinity::Kind::all; }

/// Whether the schedule of these tasks in windows of this period repeats soon enough.
bool is_short(const System& system, Duration period) {
  std::optional<std::int64_t> whole = period.count();
  for (const Task& task : system.tasks) {
    if (task.period && whole) whole = checked_lcm(*whole, task.period->count());
  }
  if (!whole) return false;
  Int128 jobs = *whole / period.count();
  for (const Task& task : system.tasks) {
    if (task.period) jobs += *whole / task.period->count();
  }
  return jobs <= max_jobs;
}

/// Longest first: fewer changes of windows.
std::vector<Duration> candidate_periods(const System& system) {
  std::set<Duration> periods;
  for (const Task& task : system.tasks) {
    if (!task.period) continue;
    for (std::int64_t part = 1; part <= 8; ++part) {
      if (task.period->count() % part == 0) periods.insert(*task.period / part);
      if (part <= 2 && *task.period <= Duration::max() / 4) periods.insert(*task.period * part);
    }
  }
  std::vector<Duration> kept;
  std::copy_if(periods.rbegin(), periods.rend(), std::back_inserter(kept),
               [&](Duration period) { return period > tick && is_short(system, period); });
  return kept;
}

enum class First : bool { local, gang };

System with_windows(const System& system, Duration period, Duration gang, First first) {
  System result = system;
  const Duration local = period - gang;
  result.policy.reservations =
      first == First::local
          ? Reservations{.period = period, .local = Window{Duration{}, local}, .all = Window{local, gang}}
          : Reservations{.period = period, .local = Window{gang, local}, .all = Window{Duration{}, gang}};
  return result;
}

bool all_hold(const Result& result, const System& system, bool gang) {
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    if (is_gang_task(system.tasks[i]) == gang && !result.tasks[i].ok) return false;
  }
  return true;
}

}  // namespace

std::optional<System> search_in_phase(const System& system, const Watch& watch) {
  const Analysis* exact = analysis::find("window-exact");
  const auto has = [&](auto predicate) {
    return std::any_of(system.tasks.begin(), system.tasks.end(), predicate);
  };
  if (exact == nullptr || system.policy.order != Order::edf) return std::nullopt;
  if (has([](const Task& task) { return task.sm.kind == SmAffinity::Kind::any; })) return std::nullopt;
  if (!has(is_gang_task) || !has([](const Task& task) { return !is_gang_task(task); })) return std::nullopt;
  for (const Duration period : candidate_periods(system)) {
    for (const First first : {First::local, First::gang}) {
      const auto played = [&](Duration gang) {
        return exact->run(with_windows(system, period, gang, first));
      };
      const Result largest = played(period - tick);
      if (!largest.applies()) return std::nullopt;
      if (!all_hold(largest, system, true)) continue;
      Duration too_little{};
      Duration enough = period - tick;
      while (enough - too_little > tick) {
        stop_if_asked(watch);
        const Duration middle = too_little + (enough - too_little) / 2;
        (all_hold(played(middle), system, true) ? enough : too_little) = middle;
      }
      if (played(enough).verdict == analysis::Verdict::schedulable) {
        return with_windows(system, period, enough, first);
      }
    }
  }
  return std::nullopt;
}

}  // namespace tactus::plan
