// window-exact: EDF inside the windows of `sm-cores`, simulated to its end.
//
// Claim: with H = lcm of all periods and the reservation period, and D <= T, no job ever misses its deadline
// if and only if
//   all offsets 0:  no deadline in [0, H] is missed;
//   else:           sum C/T <= Q/P, and no deadline in [0, largest offset + 2 H] is missed.
// Each core is judged alone in the `local` windows, the gang tasks alone in the `all` windows: the windows
// are disjoint.
//
// Source: Leung and Merrill, A note on preemptive scheduling of periodic, real-time tasks (1980); the windows
// repeat with P, so they act as one more periodic task.
//
// Model: sm-cores, order edf; periodic tasks with known offsets, D <= T, without jitter; no overheads; work
// that can be preempted anywhere. Best-effort tasks must be preemptible anywhere, too: then they do not
// matter.
//
// Kind: exact. A failing set comes with the first job that misses. More than `max_played_jobs` jobs, or an H
// beyond 64 bits, give up, unless a miss shows early.
//
// Soundness: sound. Under preemptive EDF shorter executions never delay any job, so worst-case times decide.
#pragma once

#include <cstdint>

#include "tactus/analysis/analysis.hpp"

namespace tactus::analysis {

/// A schedule of more jobs is not simulated to its end.
inline constexpr std::int64_t max_played_jobs = 10'000'000;
/// Of a schedule that is too long, so many jobs are simulated nevertheless: a miss among them is a proof.
inline constexpr std::int64_t jobs_played_before_giving_up = 100'000;

Result window_exact(const System& system);

Analysis window_exact_analysis();

}  // namespace tactus::analysis
