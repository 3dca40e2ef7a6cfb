// Tasks that others cannot preempt. A system file says that for all tasks or for none. Where only some are,
// each task that may have to wait for them comes so much later, by its jitter.
//
// Claim: then every bound of the system holds for the model. By fixed priorities a segment of a task waits at
// its beginning for at most one segment of a less urgent task, for a time B, and for all more urgent work
// that comes from then on until it is done. In the system it comes B later, and the more urgent tasks, which
// may have to wait for the same segment, are as late: what comes of them in a time w counts as in a time w +
// B. By deadlines the demand of all tasks in a time t, which is B later in the system, is that in a time t +
// B without.
#pragma once

#include <vector>

#include "tactus/import/finding.hpp"
#include "tactus/import/options.hpp"
#include "tactus/import/parts.hpp"
#include "tactus/import/software.hpp"
#include "tactus/model/system.hpp"

namespace tactus::import {

/// Whether something of its jobs cannot be preempted everywhere.
bool keeps_a_core(const Process& process, const Job& job);

/// How much later each task comes. `processes`, `jobs`: where the tasks of the system come from; their
/// priorities and times are known.
std::vector<Duration> set_preemption(const std::vector<const Process*>& processes,
                                     const std::vector<Job>& jobs, const Options& options, Notes& notes,
                                     System& system);

}  // namespace tactus::import
