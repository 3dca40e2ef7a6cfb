// window-harmonic: EDF inside the windows of `sm-cores` when all periods are harmonic with the reservation's.
//
// Claim: for R(O, Q, P) convert every task (C, D, T) into
//   T <= P:                (C, min(D, T - (P - O - Q)) - O, T)
//   T > P and D >= O + Q:  (C/n, Q, P), n = floor((D - O - Q)/P) + 1: as many whole windows as D has
//   T > P and D < O + Q:   (C, D - O, T)
// If every converted deadline is greater than 0 and the converted tasks pass the EDF demand test on a
// dedicated processor, then every deadline holds under EDF inside the windows.
//
// Source: the PRUDA paper, Theorem 6 with Definition 3, corrected: as printed it ignores D and O.
//
// Why it holds: let every job wait for O after its release. If T divides P, the job at j T may then run until
// j T + min(D, T - (P - O - Q)), inside the window, because the last job of a period is released at P - T. If
// P divides T, whole windows follow each other every P, or D ends inside the first one. So converted jobs lie
// inside windows, and the argument of window-chunks applies.
//
// Model: that of window-chunks, and for every task T divides P or P divides T. Without that (2, 5, 6) in
// R(3, 6, 10) would be accepted and misses.
//
// Kind: sufficient. C/n is an exact fraction.
//
// Soundness: sound.
#include "tactus/analysis/analyses.hpp"
#include "tactus/analysis/converted_tasks.hpp"
#include "tactus/analysis/window_demand.hpp"

namespace tactus::analysis {

Result window_harmonic(const System& system) {
  GpuServers found = cores_unless(in_phase_from_zero_obstacle(system), system);
  found.refuse(find_unharmonic(system, found.servers));
  return judge_servers(
      system, found, "the harmonic tasks hold without windows, so they hold with them",
      [&](const GpuServer& server, ServerResults& results) {
        if (results.fails_overloaded(server)) return;
        const auto convert = [&](const GpuTask& task, const Supply& supply, auto& converted) {
          converted.push_back(to_harmonic(task, supply));
          if (converted.back().deadline > Duration{}) return true;
          const std::string& name = system.tasks[task.task].name;
          results.fails(Verdict::unproven, {"where every job of '" + name + "' waits until the window of " +
                                                server.name + " has opened, no time is left for some",
                                            {{"server", server.name}, {"task", name}}});
          return false;
        };
        judge_converted(system, server, convert, results);
      });
}

}  // namespace tactus::analysis
