// Priorities of the model's tasks, and those that it lacks.
#pragma once

#include <vector>

#include "tactus/import/placement.hpp"
#include "tactus/model/task.hpp"

namespace tactus::import {

/// A task of the system with what the model says of it.
struct Ranked {
  Task* task = nullptr;
  const Process* process = nullptr;
  const TaskAllocationFacts* allocation = nullptr;
};

/// Gives each task its priority: that of the model; where the tasks of a scheduler have none or all the same
/// one, by rate, and noted where that is not what the model says. Tasks that share a core are ranked
/// together. Interrupts get none.
void set_priorities(std::vector<Ranked>& tasks, Notes& notes);

}  // namespace tactus::import
