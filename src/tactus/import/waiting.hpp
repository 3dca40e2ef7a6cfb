// Tasks of which the model does not say whether they keep their core while they wait. Here they do.
//
// Claim: by fixed priorities that takes longest, if no other task of the core waits, everything there can be
// preempted, and each job is to be done before the next one comes. The task itself waits for the same more
// urgent work either way, so it triggers work at the same times, and that takes as long. A less urgent task
// is done, from the last time on at which no more urgent job had begun and was not done, after no more than
// its own work and all that these jobs take with their waits: that is what it takes if they keep the core.
// Else a task in the gap may begin work of its own that is then in the way.
#pragma once

#include <vector>

#include "tactus/import/parts.hpp"
#include "tactus/import/priorities.hpp"
#include "tactus/model/system.hpp"

namespace tactus::import {

/// `tasks`, `jobs`: where those of the system come from.
void note_waiting(const std::vector<Ranked>& tasks, const std::vector<Job>& jobs, const System& system,
                  Notes& notes);

}  // namespace tactus::import
