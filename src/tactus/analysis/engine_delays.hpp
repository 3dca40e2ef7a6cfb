// The engine as a server: what its own time adds to the delays of others.
//
// One thread handles every event (at most e_h each) and makes every submission (at most e_s each). It drains:
// it handles all that is visible until nothing is. Then it decides on one submission, the most urgent that
// any server can take, makes it, and begins anew. A stop request is a submission.
//
// A unit is what goes to a server at once: a whole job, one segment, or one slice. For task i
//   s_i      submissions, and completions, of a unit
//   sigma_i  the sum of their e_s; e_s(last) that of the last one
//   g_i      least execution time of a unit; 0: not known
//   N_i      units a job
//   J_i      how late after its nominal release the release is visible
//
// Claim 1, from visible to decided. An event is handled, and the burst in which that happens is over, at most
//   V = e_max + e_h (sum over sources of (floor((V + J_j)/T_j) + 1) + out + first)
// after it becomes visible. e_max: the longest submission of all; out: the most completions under way at
// once; a source is what comes by itself: releases, watched deadlines and budgets, edges of windows; first:
// the first releases of best-effort tasks, one each in a run (later ones come with a completion). Where each
// task has a unit under way, a first release takes the place of its completion: none is counted then.
// Proof. No submission is decided while an event is visible. So all events of a burst became visible after
// the one submission before it began (or after the burst did, if the engine waited: V0, with e_max = 0). The
// completions among them were under way then, or belong to that submission. Events at the very end of the
// burst are drained with it, hence floor + 1.
//
// Claim 2, from "its server can take it" to submitted, for a job that is known: S_i = q_i + e_s(last),
//   q_i = sigma_i - e_s(last) + sum over hep of m_j sigma_j
//         + e_h (sum over sources of (floor((q_i + J_j)/T_j) + 1) + sum over hep of m_j s_j + s_i + sum s_l
//                + first)
//   m_j = min(1 + floor(q_i/g_j), N_j (floor((q_i + D_j)/T_j) + 1)); with g_j = 0 the second
// hep: real-time tasks that may be more urgent (EDF: all others), none where there is but one server; l: the
// other tasks, of which one unit each is under way.
// Proof. At a decision no action is in progress and no event is visible. Until i is submitted the engine
// handles events that become visible after it, and makes submissions at least as urgent. Two units of a task
// are decided at least g_j apart, because the next is decided after the end of the last. If all submissions
// before the last one take no time, nothing can come in between, and q_i = 0.
//
// Work that can be stopped anywhere (`sm-cores`). On a core with such work a unit may end with a stop
// request. A unit begins when its job does, or goes on when another job of the core is complete or a window
// opens. So each job counts one unit more, of the longest submission of the core, each unit with a stop
// request, and each core two units a window: at its edges, and one whose cause was before.
//
// The second term of m_j takes for granted that task j is in time: by induction over the first deadline that
// is missed this is sound wherever all tasks of hep are proven, and left out (`all_in_time`) where one of
// them, which may be on another core, is not. All else here holds whatever is missed.
//
// Source: ours. It is a server in the sense of the holistic analysis of Tindell and Clark, with a rule of its
// own: events before submissions, one submission at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tactus/analysis/interference.hpp"
#include "tactus/base/time.hpp"
#include "tactus/model/system.hpp"

namespace tactus::analysis {

/// Whether the events and submissions of a task pass through the engine.
bool uses_engine(const System& system, TaskIndex task);

/// What goes to a server at once.
enum class EngineUnit : std::uint8_t { job, segment, slice };

/// What the engine does for a task.
struct EngineTask {
  TaskIndex task = 0;
  bool best_effort = false;     // then it has no period, deadline or jitter
  Duration period{};            // T
  Duration deadline{};          // D
  Duration jitter{};            // J
  std::int64_t units = 1;       // N
  std::int64_t operations = 1;  // s
  Duration submission{};        // sigma
  Duration last{};              // e_s(last); where units differ, the longest
  Duration longest{};           // the longest single submission or stop request made for it
  Duration least_time{};        // g
  bool may_be_stopped = false;  // the engine may have to ask it to stop
};

/// A source of events: one each period, visible up to the jitter late.
struct EngineSource {
  Duration period{};
  Duration jitter{};
};

struct EngineLoad {
  Duration event{};                     // e_h
  Duration longest{};                   // e_max
  Duration stop{};                      // a stop request
  std::int64_t under_way = 0;           // out
  std::int64_t first_releases = 0;      // first
  std::vector<EngineSource> sources{};  // of real-time tasks and windows
  std::vector<EngineTask> tasks{};      // most urgent first, best-effort ones last
  std::vector<EngineTask> edges{};      // sm-cores: what the edges of windows make the engine submit
  bool one_server = false;              // nothing is submitted beside the unit that the server has
  bool by_priority = true;              // tasks before another are more urgent; else each may be
  bool all_in_time = true;              // no task misses a deadline
};

/// Of all tasks that use the engine. All zero where it needs no time.
EngineLoad engine_load(const System& system, EngineUnit unit);

/// Claim 1 with the given submission for e_max: V with `load.longest`, V0 with 0. Nothing where the engine
/// cannot keep up with the events.
std::optional<Duration> until_decided(const EngineLoad& load, Duration submission);

/// Claim 2: q of a task, by its place in `load.tasks`. Nothing where there is none up to `limit`.
std::optional<Duration> until_last_submission(const EngineLoad& load, std::size_t place, Duration limit);

/// E: adds the handling of all events of sources that become visible in an interval, or up to `earlier`
/// before it, its end included. `end` is the kind of end that the caller will ask for.
void add_events(Interference& interference, const EngineLoad& load, Duration earlier, End end);

/// eb: the longest submission of a task that is less urgent than the one at this place.
Duration longest_below(const EngineLoad& load, std::size_t place);

/// Once in an interval: the first releases of best-effort tasks, and Lo, the sum of the `count` largest
/// sigma_l + s_l e_h of tasks that may be less urgent.
Duration once_below(const EngineLoad& load, std::size_t place, std::size_t count);

/// sigma + s e_h: all that the engine does for a unit.
Duration engine_work(const EngineLoad& load, const EngineTask& task);

}  // namespace tactus::analysis
