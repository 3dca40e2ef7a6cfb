// What a bound function uses while it runs.
//
// A function that does not return when the run is over is left behind with its thread. Both have a share of
// this, so it lasts until the last of them is done, whatever became of the device.
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
  std::vector<std::string> tasks;        // their names
  std::vector<std::atomic<bool>> stops;  // by activity: whether it is to stop
  Clock clock;
};

}  // namespace tactus::device::host
