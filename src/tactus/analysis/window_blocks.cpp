#include "tactus/analysis/window_blocks.hpp"

#include <utility>

#include "tactus/analysis/window_demand.hpp"

namespace tactus::analysis {

Result window_blocks(const System& system) {
  GpuServers cores = sm_core_servers(system);
  if (!cores.why_not.empty()) return does_not_apply(std::move(cores.why_not));
  if (std::string why_not = find_other_order(system, Order::edf); !why_not.empty()) {
    return does_not_apply(std::move(why_not));
  }
  ServerResults results{system};
  for (const GpuServer& server : cores.servers) {
    if (fails_to_fit(system, server, results)) continue;
    judge_windows(system, server, windows_of(server, longest_block(server)), false, results);
  }
  return std::move(results).finish(
      "in every interval the windows have room for the jobs, with the blocks that may be in their way");
}

Analysis window_blocks_analysis() {
  return {.id = "window-blocks",
          .title = "EDF inside windows, with blocks that end inside them",
          .source = "Tactus",
          .strategy = "sm-cores",
          .needs =
              "sm-cores, order edf; periodic or sporadic tasks of one kernel or one exclusive segment, "
              "deadlines no longer than periods",
          .kind = Kind::sufficient,
          .sound = true,
          .run = window_blocks};
}

}  // namespace tactus::analysis
