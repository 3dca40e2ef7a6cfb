// Priority numbers of a system.
#pragma once

#include <span>
#include <vector>

#include "tactus/model/system.hpp"

namespace tactus::plan {

/// Whether all tasks with deadlines have priorities, no two the same.
bool has_distinct_priorities(const System& system);

bool gives_priorities(const System& system);

/// Numbers from 1 up, the most urgent task with the largest; `order` is most urgent first. Best-effort tasks
/// are always least urgent and keep what they have.
void set_priorities(System& system, std::span<const TaskIndex> order);

/// Tasks that are not best-effort, most urgent first, by the priorities of the file.
std::vector<TaskIndex> order_of_file(const System& system);

/// The same without the priorities of the file: shortest deadline first.
std::vector<TaskIndex> deadline_monotonic_order(const System& system);

}  // namespace tactus::plan
