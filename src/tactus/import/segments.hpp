// The work of a task of the system, from the parts of its jobs.
#pragma once

#include <cstdint>

#include "tactus/import/cores.hpp"
#include "tactus/model/task.hpp"

namespace tactus::import {

/// A chain of segments, or a graph where some part runs on another core than the task.
void set_work(const Job& job, std::int32_t core, const Cores& cores, const Options& options, Notes& notes,
              Task& task);

}  // namespace tactus::import
