// rtgpu-tight, slow and obvious: every division of a chain into groups is tried, in every form.
#pragma once

#include <optional>
#include <vector>

#include "tactus/model/system.hpp"

namespace tactus::test {

/// What a plain rtgpu-tight may get wrong.
struct TightMistake {
  bool one_period_of_blocking =
      false;                        // ceil(D/T_l) jobs of a less urgent task instead of ceil((D + D_l)/T_l)
  bool last_copy_too_soon = false;  // W(s) instead of W(s + 1) before the last copy of a group
  bool undisturbed_pieces = false;  // a copy in pieces is not overtaken once it runs
  bool no_jitter_of_cpu_tasks = false;   // CPU-only tasks above are seen in time
  bool copies_of_own_core_only = false;  // those of tasks of other cores are forgotten
};

/// Bounds by task, in file order, for a system with all virtual SMs; nothing where none was found or a more
/// urgent task failed.
std::vector<std::optional<Duration>> tight_bounds_plainly(const System& system,
                                                          const TightMistake& mistake = {});

}  // namespace tactus::test
