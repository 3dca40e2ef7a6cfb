// The context of bound functions.
//
// A function that does not return at the end of a run is abandoned with its thread. Ownership is shared, so
// that the context outlives the device if necessary.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

#include "tactus/device/device.hpp"
#include "tactus/device/host/clock.hpp"

namespace tactus::device::host {

struct FunctionContext {
  FunctionContext() = default;
  FunctionContext(const Setup& setup, std::size_t max_activities) : stops(max_activities) {
    if (setup.bindings != nullptr) bindings = *setup.bindings;
    for (const Task& task : setup.system.tasks) tasks.push_back(task.name);
  }

  Bindings bindings;
  std::vector<std::string> tasks;        // names
  std::vector<std::atomic<bool>> stops;  // by activity: whether to stop
  Clock clock;
};

}  // namespace tactus::device::host
