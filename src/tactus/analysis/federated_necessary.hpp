// federated-necessary: conditions that hold for any division of the SMs and any order of the tasks.
//
// Claim: the system cannot hold if
//   - the tasks of a core, or the copies of all tasks, need more than all of the time (the sum of worst
//     cases over T is above 1);
//   - the longest job of a task takes longer than its deadline even alone: the worst cases of
//     its segments add up to more than D, on its SMs or on the most that others can leave it;
//   - the SMs do not suffice: for each task there is a least number of SMs on which such a job fits its
//     deadline, and these add up to more than there are (where the system does not give them).
//
// Source: ours; a ceiling for the acceptance of every other test.
//
// Model: federated; chains of periodic or sporadic tasks, D <= T. Overheads and jitter are
// left out, since they need not occur. A best-effort task with GPU work takes its SMs, at least one.
//
// Kind: necessary.
//
// Soundness: sound: jobs may come as often as their periods and take their worst cases.
#pragma once

#include "tactus/analysis/analysis.hpp"

namespace tactus::analysis {

Result federated_necessary(const System& system);

Analysis federated_necessary_analysis();

}  // namespace tactus::analysis
