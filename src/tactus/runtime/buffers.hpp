// What every job of a run has to itself: a place among the jobs of its task, and the buffers there.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "tactus/device/job.hpp"
#include "tactus/model/system.hpp"
#include "tactus/runtime/results.hpp"

namespace tactus::runtime {

/// By task and node.
using BufferPlans = std::vector<std::vector<device::BufferPlan>>;
using ResultPlans = std::vector<ResultPlan>;  // by task
using Bounds = std::vector<std::optional<Duration>>;

/// So many jobs of the task need a place at once: `max_jobs`; else those that the proven bound allows, and
/// one more, which a late one may need; and another where results are told, for the one that is being read.
/// InputError when neither is known.
std::uint32_t places_for(const Task& task, const std::optional<Duration>& bound, bool tells_results);

/// By task.
struct Places {
  std::vector<std::uint32_t> jobs;  // 0 for tasks with neither buffers nor results
  std::vector<std::shared_ptr<const device::JobBuffers>> buffers;  // null for tasks without
};

/// Makes the buffers of a run. `bounds` is asked only if a number of places follows from them. InputError for
/// tasks that can have no buffers or results.
Places make_places(const System& system, const BufferPlans& buffers, const ResultPlans& results,
                   const std::function<Bounds()>& bounds);

/// Gives the buffers to what is bound.
void give_buffers(const Places& places, device::Bindings& bindings);

/// Null when nobody is to be told of results.
std::unique_ptr<Results> make_results(const System& system, const ResultPlans& plans, const Places& places);

}  // namespace tactus::runtime
