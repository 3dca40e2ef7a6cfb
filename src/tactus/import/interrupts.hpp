// Interrupts of the model, which are tasks of the system that precede all others.
#pragma once

#include <vector>

#include "tactus/import/parts.hpp"
#include "tactus/import/priorities.hpp"

namespace tactus::import {

/// Above all tasks, which have their priorities already; larger numbers of the model first.
void set_interrupt_priorities(std::vector<Ranked>& tasks, Notes& notes);

/// Warns where an interrupt has become a part of a task that waits for it.
void warn_of_awaited_interrupts(const Model& model, const JobMaker& jobs, Notes& notes);

}  // namespace tactus::import
