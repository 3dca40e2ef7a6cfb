// The bounds of `rtgpu` where the engine needs time, written out once more from the formulas, with switches
// for every term without which they break.
#pragma once

#include <optional>
#include <vector>

#include "tactus/analysis/analysis.hpp"
#include "tactus/model/system.hpp"

namespace tactus::test {

/// All off: the bounds of `rtgpu`.
struct EngineMistake {
  bool no_submission_below = false;       // eb = 0
  bool one_submission_below = false;      // eb once a job, not at each of its events
  bool none_behind_copies = false;        // no eb when another's copy ends
  bool nothing_above = false;             // the engine does nothing for more urgent tasks
  bool no_carry_in_above = false;         // their first wrap is like the later ones
  bool worst_in_gaps_above = false;       // their operations always take their worst time
  bool no_events_below = false;           // events of less urgent tasks take no time
  bool open_end = false;                  // what comes at the last instant is not drained
  bool own_events_free = false;           // the own e_h
  bool own_submissions_free = false;      // the own e_s
  bool end_known_at_once = false;         // the last event is not handled
  bool best_effort_forgotten = false;     // the engine does nothing for best-effort tasks
  bool no_submission_of_blocker = false;  // B5 without e_s
};

/// Bounds by task, in file order, for a system of chains whose copies are whole and whose SMs are given.
std::vector<std::optional<Duration>> chain_engine_bounds(const System& system, const EngineMistake& mistake);

/// The same as an analysis, in the place of `rtgpu`.
analysis::Analysis mistaken_engine(const EngineMistake& mistake);

}  // namespace tactus::test
