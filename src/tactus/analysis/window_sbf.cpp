#include "tactus/analysis/window_sbf.hpp"

#include <utility>

#include "tactus/analysis/window_demand.hpp"

namespace tactus::analysis {

Result window_sbf(const System& system) {
  GpuServers cores = sm_core_servers(system);
  if (!cores.why_not.empty()) return does_not_apply(std::move(cores.why_not));
  if (std::string why_not = find_other_order(system, Order::edf); !why_not.empty()) {
    return does_not_apply(std::move(why_not));
  }
  if (std::string why_not = find_blocks(system, cores); !why_not.empty()) {
    return does_not_apply(std::move(why_not));
  }
  ServerResults results{system};
  bool exact = true;
  for (const GpuServer& server : cores.servers) {
    const bool refutes = all_are_sporadic(system) && sees_releases_at_once(server) && cores.costs_are_tight;
    exact = exact && refutes;
    judge_windows(system, server, windows_of(server), refutes, results);
  }
  results.is_exact(exact);
  return std::move(results).finish("in every interval the windows have room for the jobs");
}

Analysis window_sbf_analysis() {
  return {.id = "window-sbf",
          .title = "EDF inside windows",
          .source = "PRUDA, Theorem 3 with eq. (8), corrected; Shin and Lee (2003)",
          .strategy = "sm-cores",
          .needs =
              "sm-cores, order edf; periodic or sporadic tasks of one exclusive segment with "
              "longest_block 0, deadlines no longer than periods",
          .kind = Kind::exact,
          .sound = true,
          .run = window_sbf};
}

}  // namespace tactus::analysis
