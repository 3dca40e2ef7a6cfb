#include "tactus/runtime/buffers.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "tactus/base/error.hpp"
#include "tactus/model/dispatch.hpp"
#include "tactus/model/limits.hpp"

namespace tactus::runtime {

namespace {

bool has_buffers(const std::vector<device::BufferPlan>& plans) {
  return std::any_of(plans.begin(), plans.end(),
                     [](const device::BufferPlan& plan) { return plan.type != nullptr; });
}

/// Its functions are called before the run, not for every job.
void refuse_buffers(const System& system, const Task& task) {
  if (dispatch_of(system, task) == Dispatch::launch) return;
  throw InputError{"task '" + task.name + "' has buffers, but its GPU work waits on its SMs (`dispatch: " +
                       std::string{to_string(task.dispatch)} +
                       "`): its function is called once, not for every job",
                   "write `dispatch: launch`, or keep what its kernels need by job.device_facts()"};
}

void refuse_results(const System& system, const Task& task, ResultOrder order) {
  const std::string who = "results of task '" + task.name + "' cannot be told";
  if (task.arrival == Arrival::best_effort) {
    throw InputError{who + ": a best-effort job repeats at once, whoever still reads the one before",
                     "tell it from the bound function, or give the task a period"};
  }
  if (is_resident(system, task)) {
    throw InputError{who + ": the device releases its jobs (`dispatch: resident`)",
                     "write `dispatch: doorbell`"};
  }
  if (order == ResultOrder::of_jobs && task.period && task.jitter > *task.period) {
    throw InputError{who + " in the order of its jobs: with a jitter beyond the period they begin in another",
                     "ask for ResultOrder::of_completion"};
  }
}

}  // namespace

std::uint32_t places_for(const Task& task, const std::optional<Duration>& bound, bool tells_results) {
  if (task.max_jobs) return static_cast<std::uint32_t>(*task.max_jobs);
  const std::uint32_t read = tells_results ? 1 : 0;
  if (!repeats(task)) return 1 + read;
  const std::int64_t jobs = bound ? jobs_at_once(*bound, *task.period) + 1 + read : limits::max_jobs.max + 1;
  if (limits::max_jobs.contains(jobs)) return static_cast<std::uint32_t>(jobs);
  throw InputError{"nobody knows how many jobs of task '" + task.name +
                       "' can be in progress at once, each with buffers of its own: " +
                       (bound ? "its bound is too long" : "no bound is proven for it"),
                   "say it: `max_jobs: 4` in the file, Task::max_jobs in code"};
}

Places make_places(const System& system, const BufferPlans& buffers, const ResultPlans& results,
                   const std::function<Bounds()>& bounds) {
  Places places{std::vector<std::uint32_t>(system.tasks.size()), {}};
  places.buffers.resize(system.tasks.size());
  std::optional<Bounds> known;
  for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
    const Task& task = system.tasks[index];
    const bool has_some = has_buffers(buffers[index]);
    const bool tells_results = static_cast<bool>(results[index].function);
    if (!has_some && !tells_results) continue;
    if (has_some) refuse_buffers(system, task);
    if (tells_results) refuse_results(system, task, results[index].order);
    if (repeats(task) && !task.max_jobs && !known) known = bounds();
    places.jobs[index] = places_for(task, known ? (*known)[index] : std::nullopt, tells_results);
    if (!has_some) continue;
    places.buffers[index] =
        std::make_shared<const device::JobBuffers>(task, buffers[index], places.jobs[index]);
  }
  return places;
}

void give_buffers(const Places& places, device::Bindings& bindings) {
  for (TaskIndex task = 0; task < bindings.size(); ++task) {
    for (device::Binding& binding : bindings[task]) {
      if (binding.kind != device::Binding::Kind::built_in) binding.buffers = places.buffers[task];
    }
  }
}

std::unique_ptr<Results> make_results(const System& system, const ResultPlans& plans, const Places& places) {
  std::vector<Results::OfTask> tasks;
  bool any = false;
  for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
    const Task& task = system.tasks[index];
    const bool is_told = static_cast<bool>(plans[index].function);
    any = any || is_told;
    tasks.push_back({.plan = plans[index],
                     .name = task.name,
                     .segments = static_cast<std::uint32_t>(task.work.nodes.size()),
                     .places = is_told ? places.jobs[index] : 0,
                     .buffers = places.buffers[index]});
  }
  return any ? std::make_unique<Results>(std::move(tasks)) : nullptr;
}

}  // namespace tactus::runtime
