// The bounds of `rtgpu` written out once more, with switches for every simplification that breaks them.
#pragma once

#include <optional>
#include <vector>

#include "support/plain_tight.hpp"
#include "tactus/analysis/analysis.hpp"

namespace tactus::test {

/// All off: the bounds of `rtgpu`.
struct Simplification {
  bool no_carry_in = false;        // the first wrap is like the later ones
  bool first_stage_only = false;   // W^0 instead of the maximum over all starts
  bool worst_in_gaps = false;      // gaps between stages from worst cases
  bool full_period_first = false;  // T instead of T - X at the first wrap
  bool blocked_once = false;       // one less urgent copy for a job, not for each of its copies
  bool never_blocked = false;      // copies are taken to be preemptible
  bool count_of_periods = false;   // ceil(t/T) jobs, no carry-in
  bool started_too_soon = false;   // W(s) instead of W(s + 1) until a copy starts
  bool no_jitter_above = false;    // X without the jitter of the more urgent task
  bool no_jitter = false;          // R instead of R + J
  bool copies_of_own_core_only = false;
  bool best_effort_forgotten = false;          // its copies block nobody
  bool unmerged_copies = false;                // the longest single copy blocks, not the longest request
  bool undisturbed_pieces = false;             // a copy in pieces is not overtaken once it runs
  bool one_overhead_a_copy = false;            // not for each of its pieces
  bool half_the_gpu_time = false;              // 2 v instead of v
  bool gpu_rounded_down = false;               // floor in GRhi
  bool first_form_without_preemption = false;  // CPU stages never wait
};

/// Bounds by task, in file order; nothing where none was found, or a more urgent task failed.
std::vector<std::optional<Duration>> chain_bounds(const System& system, const Simplification& simplification);

/// The same as an analysis, in the place of `rtgpu`.
analysis::Analysis simplified_rtgpu(const Simplification& simplification);

/// `rtgpu-tight` on given SMs, with less blocking or carry-in than it must count.
struct TightSimplification {
  bool each_copy_once = false;  // a less urgent copy counts once, not once for each job
  bool never_blocked = false;
  bool no_carry_in = false;  // X = the least that a job takes
};
analysis::Analysis simplified_tight(const TightSimplification& simplification);
analysis::Analysis mistaken_tight(const TightMistake& mistake);

}  // namespace tactus::test
