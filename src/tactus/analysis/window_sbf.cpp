// window-sbf: EDF inside windows, with work that can be stopped anywhere.
//
// Claim: each core alone in the local windows, the gang alone in the windows for all SMs; if in every
// interval of length t
//   dbf(t) = sum of n_j(t) C_j <= sbf(t) = k Q + max(0, t - k P - (P - Q)),  k = floor(t/P),
// then every deadline is met. n_j(t) = floor((t - (D_j - J_j))/T_j) + 1.
//
// Source: PRUDA, Theorem 3 with eq. (8), corrected. As printed a sign is wrong: it accepts (1,1,3) in windows
// of 2 every 5, which start at 1.
//
// Model: sm-cores, order edf; periodic or sporadic tasks of one exclusive segment with longest_block 0, D <=
// T. A window that covers its period is no window.
//
// Kind: exact for sporadic tasks without overheads: all are released when a window has just ended. Sufficient
// otherwise.
//
// Soundness: sound. With s and d as for np-edf, all time of the windows in [s, d) goes to jobs seen from s on
// with deadlines up to d, and the windows have at least sbf(d - s) in it. Where launches take time, a
// best-effort task that is stopped is in the way for one launch and completion; that is charged as blocking.
#include <algorithm>

#include "tactus/analysis/analyses.hpp"
#include "tactus/analysis/engine_charges.hpp"
#include "tactus/analysis/window_demand.hpp"

namespace tactus::analysis {

namespace {

/// The cores, where all work can be stopped anywhere.
GpuServers cores_without_blocks(const System& system) {
  GpuServers cores = sm_core_servers(system);
  cores.refuse(find_other_order(system, Order::edf));
  cores.refuse(find_blocks(system, cores));
  return cores;
}

}  // namespace

Result judge_window_sbf(const System& system, const GpuServers& cores) {
  const auto refutes = [&](const GpuServer& server) {
    return all_are_sporadic(system) && sees_releases_at_once(server) && cores.costs_are_tight;
  };
  Result result = judge_servers(system, cores, "in every interval the windows have room for the jobs",
                                [&](const GpuServer& server, ServerResults& results) {
                                  judge_windows(system, server, windows_of(server), refutes(server), results);
                                });
  result.exact = result.applies() && std::all_of(cores.servers.begin(), cores.servers.end(), refutes);
  return result;
}

Result window_sbf(const System& system) {
  return judge_with_engine(system, cores_without_blocks(system), judge_window_sbf);
}

// window-linear: EDF inside windows, with the line below their supply.
//
// Claim: as window-sbf, with max(0, (Q/P)(t - (P - Q))) in place of sbf(t).
//
// Source: PRUDA, Theorem 3 with eq. (10).
//
// Model: as window-sbf.
//
// Kind: sufficient; it accepts no more than window-sbf.
//
// Soundness: sound. The line touches sbf where a gap ends and is nowhere above it.
Result judge_window_linear(const System& system, const GpuServers& cores) {
  return judge_servers(system, cores, "in every interval the line below the windows has room for the jobs",
                       [&](const GpuServer& server, ServerResults& results) {
                         judge_windows(system, server, line_of(server), false, results);
                       });
}

Result window_linear(const System& system) {
  return judge_with_engine(system, cores_without_blocks(system), judge_window_linear);
}

// window-blocks: EDF inside windows, with blocks that may not cross the end of a window.
//
// Claim: with G the longest block of the server's tasks, if in every interval of length t
//   dbf(t) + max{PC_l : D_l > t} <= sbf(t) with budget Q - G,
// then every deadline is met. A set with G >= Q is rejected. Without blocks this is window-sbf.
//
// Source: ours; PRUDA assumes work that can be stopped anywhere.
//
// Model: sm-cores, order edf; periodic or sporadic tasks of one kernel or one exclusive segment, D <= T.
// Blocks of best-effort tasks are in the way once, but nothing is lost to them at the end of a window.
//
// Kind: sufficient.
//
// Soundness: sound. A block of the best job is started whenever it fits the rest of the window, so all of a
// window but its last G goes to jobs while some wait. One block of a job with a later deadline may run when
// the interval starts; it started before, so its D is greater than t. No such block starts later: if the
// best job's next one does not fit, the core idles.
Result judge_window_blocks(const System& system, const GpuServers& cores) {
  return judge_servers(
      system, cores,
      "in every interval the windows have room for the jobs, with the blocks that may be in their way",
      [&](const GpuServer& server, ServerResults& results) {
        if (fails_to_fit(system, server, results)) return;
        judge_windows(system, server, windows_of(server, longest_block(server)), false, results);
      });
}

Result window_blocks(const System& system) {
  GpuServers cores = sm_core_servers(system);
  cores.refuse(find_other_order(system, Order::edf));
  return judge_with_engine(system, cores, judge_window_blocks);
}

}  // namespace tactus::analysis
