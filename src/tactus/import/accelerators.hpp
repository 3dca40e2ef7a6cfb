// Processing units that are neither cores nor GPUs.
#pragma once

#include <vector>

#include "tactus/import/cores.hpp"
#include "tactus/import/parts.hpp"
#include "tactus/model/task.hpp"

namespace tactus::import {

/// Says that they are cores of the system, and warns of tasks that meet there. `jobs` and `tasks` belong
/// together.
void note_accelerators(const CoreUnits& cores, const std::vector<Job>& jobs, const std::vector<Task>& tasks,
                       Notes& notes);

}  // namespace tactus::import
