// What the engine's own time does to chains on SMs of their own: one thread handles every event (e_h) and
// makes every submission (e_s), the most urgent one first, and none while an event is visible.
//
// A job has N operations, its stages that are submitted, and N + 1 events: its release and N ends. Look at a
// job of task k from an event of its own on: the event becomes visible, it is handled, the burst ends, the
// next operation is submitted (or the job is over). Let b be the start of the submission before that burst,
// or of the burst if the engine was idle. No event was visible at b, so all that is handled from b on became
// visible since. The engine is never idle from b until the operation is submitted, if its server can take it:
//   eb    the submission that began at b may be less urgent: the longest such. No other follows, because the
//         operation of k is a candidate.
//   e_h   the event of the job itself.
//   EW    what the engine does for a more urgent task: a chain of E = e_h + e_s for each operation and e_h at
//         the end; between them the operation takes its best case at least. Wmax of chain_workload.hpp with
//         wrap1 = T - X: the first thing for a job is done after its release, the last one ends the job.
//   events of less urgent tasks, without their submissions.
// Events at the very end of an interval are drained, too: EW and events count with the last instant.
//
//   L     from visible to the begin of the submission, or to the end of the job:
//         least s = eb + e_h + sum EW(s + 1) + e_h (for each less urgent task: its releases in s, and one)
//         One, because nothing of it is submitted but what began at b, so one operation of it can end.
//   LM    the same of a copy, which may have to wait for the copy engine:
//         least s = eb + e_h + B5 + sum (MW5 + EW)(s + 1) + e_h sum ev(s)
//   B5    a less urgent copy that runs when the own one is a candidate, and when it ends another submission
//         that has begun: ML + e_s + eb. (e_s is not needed: it is over when k's copy becomes a candidate.)
//   MW5   copies of a more urgent task, each with such a submission behind it: E = ML + eb.
//   ev    all events of a less urgent task in an interval, since others are submitted while a copy waits.
// From these the forms of federated_response.hpp:
//   R1 = sum GRhi + sum CR + sum over copies (LM + MLhi) + L for all other operations and the end + sum e_s
//   R2 = least r = that with CLhi for CR + sum CWmax(r)
//   R3 = least r = sum GRhi + sum MLhi + nc B5 + sum CR + (N + 1)(eb + e_h) + sum e_s
//                  + sum (MW5 + EW)(r + 1) + e_h sum ev(r)
//   R4 = the same with CLhi for CR + sum CWmax(r)
// A CPU stage waits off its core until it is submitted, so CWmax is as without engine time.
// A job's own next release is visible at r + J = T at the earliest; a bound must be less than that.
//
// ev(r): where all tasks keep their deadlines, the chain of e_h of that task with X = D, as EW; that is shown
// by induction over the first job that exceeds its bound. Where some task fails, releases in r, and
// 1 + floor(r/g) ends, g the least best case of an operation: two ends are handled at least g apart.
// Best-effort tasks have the latter without releases.
//
// Less urgent tasks whose SMs are not known count with the most they may get, which makes their events as
// frequent as they can be.
#pragma once

#include <vector>

#include "tactus/analysis/chain_workload.hpp"
#include "tactus/analysis/federated_tasks.hpp"

namespace tactus::analysis {

/// Whether less urgent tasks are assumed to keep their deadlines.
enum class LessUrgent : std::uint8_t { anything, in_time };

/// EW of a task with these stages and this X; `event`: e_h.
ChainWorkload engine_work(const Stages& stages, Duration event, Duration period, Duration response);

/// Events that come once a period, visible up to `jitter` late: floor((length + jitter)/T) + 1 of them.
ChainWorkload events_each(Duration event, Duration period, Duration jitter);

/// MW5: copies, and behind each a submission of this length.
ChainWorkload copies_and_submissions(const Stages& stages, Duration submission, Duration period,
                                     Duration response);

/// What less urgent tasks, and events that belong to no stage, add for one task.
struct EngineBelow {
  Duration submission{};  // eb
  Duration copy{};        // B5
  Duration one_each{};    // e_h for each less urgent task
  std::vector<const ChainWorkload*> releases;
  std::vector<const ChainWorkload*> events;  // ev
  bool has_endless_events = false;           // some ev has no bound
};

/// Of all tasks of a system.
class FederatedEngine {
 public:
  FederatedEngine(const FederatedTasks& tasks, LessUrgent less_urgent);

  /// By place in the order of urgency. It must not outlive this.
  [[nodiscard]] EngineBelow below(std::size_t place) const;

 private:
  struct EventsOf {
    Duration submission{};  // the longest
    Duration copy{};        // the longest, with its submission
    bool is_endless = false;
    bool is_silent = false;  // its jobs do not pass through the engine
    std::vector<ChainWorkload> releases;
    std::vector<ChainWorkload> events;
  };

  Duration event_{};
  std::vector<EventsOf> tasks_;         // by place, then best-effort ones
  std::vector<ChainWorkload> watched_;  // deadlines and budgets of all tasks
};

}  // namespace tactus::analysis
