#include <algorithm>

#include "tactus/base/error.hpp"
#include "tactus/base/text.hpp"
#include "tactus/sim/simulate.hpp"

namespace tactus::sim {

namespace {

/// A simulation of so many jobs takes a few seconds; nobody minds to wait so long for what was not asked for.
constexpr std::int64_t affordable_jobs = 10'000'000;

[[noreturn]] void ask_for_horizon(const std::string& why) {
  throw InputError{why, "say how long to simulate, for instance `--for 10s`"};
}

}  // namespace

Time default_horizon(const System& system) {
  Duration largest_offset{};
  bool repeating = false;
  bool best_effort = false;
  for (const Task& task : system.tasks) {
    largest_offset = std::max(largest_offset, task.offset);
    repeating = repeating || (repeats(task) && !has_scripted_releases(task));
    best_effort = best_effort || task.arrival == Arrival::best_effort;
  }
  if (!repeating) {
    if (best_effort) ask_for_horizon("best-effort tasks repeat for ever: there is no natural end");
    return never;
  }
  const std::optional<Duration> cycle = hyperperiod(system);
  if (!cycle) ask_for_horizon("the hyperperiod does not fit 64 bits");
  const Int128 length = static_cast<Int128>(largest_offset.count()) + 2 * static_cast<Int128>(cycle->count());
  Int128 jobs = 0;
  for (const Task& task : system.tasks) {
    if (task.period && !has_scripted_releases(task)) jobs += length / task.period->count();
    if (task.arrival == Arrival::best_effort) jobs += length / least_time(task.work).count();
  }
  if (jobs > affordable_jobs || length >= count(never)) {
    ask_for_horizon("two hyperperiods of " + to_text(*cycle) + " hold more than " +
                    with_thousands(affordable_jobs) + " jobs");
  }
  return at(Duration{static_cast<std::int64_t>(length)});
}

}  // namespace tactus::sim
