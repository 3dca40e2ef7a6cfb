// window-harmonic-as-published: EDF inside windows with harmonic periods, as printed. UNSOUND.
//
// Claim as printed: if all tasks converted into
//   T' = min(T, P)                                                                              (13)
//   D' = max(0, T' - (P - Q))                                                                   (14)
//   C' = C / ceil(T/P)                                                                          (15)
// hold under EDF on a processor that is always there, the tasks hold inside the windows.
//
// Source: the PRUDA paper, Theorem 6 with Definition 3.
//
// Our reading: as printed; D' = 0 rejects. The section assumes harmonic periods, D = T and periodic tasks;
// only the first is part of the theorem, so it is applied to any D <= T, to any offset and to sporadic tasks.
//
// Model: sm-cores, order edf; periodic or sporadic tasks, D <= T, that can be preempted anywhere; every T
// divides P or is a multiple of it; no overheads, jitter or best-effort tasks.
//
// Kind: claimed to be sufficient.
//
// Soundness: unsound, because neither D nor O occurs in it. (1, 1, 3) in R(1, 4, 6) becomes (1, 1, 3) and is
// accepted; the job released at 0 must be done at 1, when the window opens. The sound form is
// window-harmonic.
#include <algorithm>

#include "tactus/analysis/analyses.hpp"
#include "tactus/analysis/as_published.hpp"
#include "tactus/analysis/converted_tasks.hpp"

namespace tactus::analysis {

namespace {

/// Definition 3.
ConvertedTask convert_as_printed(const GpuTask& task, const Supply& supply) {
  const Duration period = std::min(supply.period, task.period);                              // (13)
  const Duration deadline = std::max(Duration{}, period - (supply.period - supply.budget));  // (14)
  return {task.task, task.cost, ceil_div(in_ns(task.period), in_ns(supply.period)), deadline,
          period};  // (15)
}

}  // namespace

Result window_harmonic_as_published(const System& system) {
  GpuServers found = published_window_servers(system);
  found.refuse(find_unharmonic(system, found.servers));
  return judge_servers(system, found, "Theorem 6 holds as printed, which proves nothing",
                       [&](const GpuServer& server, ServerResults& results) {
                         const auto convert = [&](const GpuTask& task, const Supply& supply,
                                                  auto& converted) {
                           converted.push_back(convert_as_printed(task, supply));
                           if (converted.back().deadline > Duration{}) return true;
                           const std::string& name = system.tasks[task.task].name;
                           results.fails(Verdict::unproven, {"the converted deadline of '" + name + "' is 0",
                                                             {{"server", server.name}, {"task", name}}});
                           return false;
                         };
                         judge_converted(system, server, convert, results);
                       });
}

}  // namespace tactus::analysis
