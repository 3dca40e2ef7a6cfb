// The work of a task of the system, from the parts of its jobs.
#pragma once

#include <cstdint>

#include "tactus/import/cores.hpp"
#include "tactus/import/options.hpp"
#include "tactus/model/task.hpp"

namespace tactus::import {

/// CPU work, with its times by core where several may do it.
CpuSegment cpu_segment_of(const Part& part, const CoreUnits& cores, Times times);

/// A chain of segments. Parts on other cores than the task's name theirs.
void set_work(const Job& job, std::int32_t core, const CoreUnits& cores, const Options& options, Notes& notes,
              Task& task);

/// What the custom properties of kernels say and cannot be is a problem: a kernel without its grid would be a
/// single block.
void check_grids(const Model& model, Notes& notes);

}  // namespace tactus::import
