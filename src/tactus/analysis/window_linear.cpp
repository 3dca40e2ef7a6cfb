#include "tactus/analysis/window_linear.hpp"

#include <utility>

#include "tactus/analysis/window_demand.hpp"

namespace tactus::analysis {

Result window_linear(const System& system) {
  GpuServers cores = sm_core_servers(system);
  if (!cores.why_not.empty()) return does_not_apply(std::move(cores.why_not));
  if (std::string why_not = find_other_order(system, Order::edf); !why_not.empty()) {
    return does_not_apply(std::move(why_not));
  }
  if (std::string why_not = find_blocks(system, cores); !why_not.empty()) {
    return does_not_apply(std::move(why_not));
  }
  ServerResults results{system};
  for (const GpuServer& server : cores.servers) {
    judge_windows(system, server, line_of(server), false, results);
  }
  return std::move(results).finish("in every interval the line below the windows has room for the jobs");
}

Analysis window_linear_analysis() {
  return {.id = "window-linear",
          .title = "EDF inside windows, by a line below their supply",
          .source = "PRUDA, Theorem 3 with eq. (10), corrected",
          .strategy = "sm-cores",
          .needs =
              "sm-cores, order edf; periodic or sporadic tasks of one exclusive segment with "
              "longest_block 0, deadlines no longer than periods",
          .kind = Kind::sufficient,
          .sound = true,
          .run = window_linear};
}

}  // namespace tactus::analysis
