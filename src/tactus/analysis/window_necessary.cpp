// window-necessary: no core may have a utilisation above 1.
//
// Claim: if for some core p the tasks of p and the gang tasks together need more than all of the time,
// U(T_p) + U(T_all) > 1, then no windows make the system hold.
//
// Source: PRUDA, Lemma 2, sharpened: the printed condition adds up over cores, which lets more pass.
//
// Model: sm-cores, any order; periodic or sporadic tasks of one kernel or one exclusive segment. Overheads
// are left out. There may be no reservations yet.
//
// Kind: necessary.
//
// Soundness: sound: a gang job keeps every core busy.
#include "tactus/analysis/analyses.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "tactus/analysis/server_results.hpp"
#include "tactus/base/ratio_sum.hpp"

namespace tactus::analysis {

namespace {

void add_terms(const GpuServer& server, std::vector<Ratio>& terms) {
  for (const GpuTask& task : server.tasks) terms.push_back({task.work.count(), task.period.count()});
}

Witness too_much(const std::string& core, bool with_gang, const std::vector<Ratio>& terms) {
  RatioSum sum;
  for (const Ratio& term : terms) sum.add(term);
  const std::string needed = to_decimal(sum, Rounding::up);
  return {"the tasks of " + core + (with_gang ? " and those of all SMs" : "") + " need " + needed +
              " of its time: the backlog grows without end",
          {{"server", core}, {"utilisation", needed}, {"available", "1.0"}}};
}

}  // namespace

Result window_necessary(const System& system) {
  GpuServers cores = sm_core_tasks(system);
  if (!cores.why_not.empty()) return does_not_apply(std::move(cores.why_not));
  ServerResults results{system};
  const auto gang = std::find_if(cores.servers.begin(), cores.servers.end(),
                                 [](const GpuServer& server) { return server.is_gang; });
  const bool has_gang = gang != cores.servers.end();
  for (const GpuServer& server : cores.servers) {
    std::vector<Ratio> terms;
    add_terms(server, terms);
    const bool with_gang = has_gang && !server.is_gang;
    if (with_gang) add_terms(*gang, terms);
    if (compare_sum(terms, {1, 1}) > 0) {
      results.fails(Verdict::unschedulable, too_much(server.name, with_gang, terms));
    }
  }
  results.fails(Verdict::unproven,
                {.reason = "no core is needed for more than all of its time, which proves nothing yet"});
  return std::move(results).finish({});
}

}  // namespace tactus::analysis
