#include "tactus/analysis/window_sbf_as_published.hpp"

#include <functional>
#include <queue>
#include <utility>

#include "tactus/analysis/as_published.hpp"
#include "tactus/analysis/server_results.hpp"
#include "tactus/analysis/supply.hpp"
#include "tactus/base/text.hpp"

namespace tactus::analysis {

namespace {

/// When the printed demand of a task grows next, and by how much; it does so once a period.
struct Step {
  Time time{};
  Duration cost{};
  Duration period{};
  bool operator>(const Step& other) const { return time > other.time; }
};

std::optional<std::int64_t> hyperperiod_of(const GpuServer& server) {
  std::optional<std::int64_t> hyperperiod = 1;
  for (const GpuTask& task : server.tasks) {
    if (hyperperiod) hyperperiod = checked_lcm(*hyperperiod, count(task.period));
  }
  return hyperperiod;
}

Witness limit_witness(const GpuServer& server) {
  Witness witness;
  const std::string limit =
      "the demand has more than " + with_thousands(static_cast<std::uint64_t>(most_printed_steps)) + " steps";
  witness.reason = server.name + ": " + limit;
  witness.detail = {{"server", server.name}, {"limit", limit}};
  return witness;
}

void judge(const GpuServer& server, ServerResults& results) {
  const SupplyBound supply = server.supply
                                 ? SupplyBound::windows(server.supply->budget, server.supply->period)
                                 : SupplyBound::always();
  const Time end = at(Duration{hyperperiod_of(server).value_or(count(never) - 1)});
  std::priority_queue<Step, std::vector<Step>, std::greater<>> steps;
  for (const GpuTask& task : server.tasks) {
    // (8) is 1 from D + 2 T on, one more every T.
    const Time first = saturating_add(saturating_add(at(task.deadline), task.period), task.period);
    if (first <= end) steps.push({first, task.cost, task.period});
  }
  Duration demand{};
  for (std::int64_t taken = 0; !steps.empty(); ++taken) {
    if (taken == most_printed_steps) {
      results.fails(Verdict::gave_up, limit_witness(server));
      return;
    }
    const Step step = steps.top();
    steps.pop();
    demand = checked_add(demand, step.cost);
    const Time following = saturating_add(step.time, step.period);
    if (following <= end) steps.push({following, step.cost, step.period});
    // Where several tasks step at once, the last of them decides; a failure before it is one there, too.
    if (demand <= supply.in(step.time - origin)) continue;
    Witness witness;
    witness.reason =
        "the printed demand of " + server.name + " exceeds the supply at t = " + to_text(step.time);
    witness.detail = {{"server", server.name}, {"interval_ns", count(step.time)}};
    results.fails(Verdict::unproven, std::move(witness));
    return;
  }
  results.keep_deadlines(server);
}

}  // namespace

Result window_sbf_as_published(const System& system) {
  GpuServers found = published_window_servers(system);
  if (!found.why_not.empty()) return does_not_apply(std::move(found.why_not));
  ServerResults results{system};
  for (const GpuServer& server : found.servers) {
    if (is_overloaded(server)) {
      results.fails(Verdict::unproven, overload_witness(server));
    } else {
      judge(server, results);
    }
  }
  return std::move(results).finish("equations (7) and (8) hold as printed, which proves nothing");
}

Analysis window_sbf_as_published_analysis() {
  return {
      .id = "window-sbf-as-published",
      .title = "EDF in windows by demand and supply, as published",
      .source = "PRUDA, Theorem 3 with equation (8), as printed",
      .needs =
          "sm-cores, order edf; periodic or sporadic tasks, deadlines no longer than periods; exclusive work "
          "with longest_block 0; no overheads, jitter or best-effort tasks",
      .kind = Kind::sufficient,
      .sound = false,
      .run = window_sbf_as_published};
}

}  // namespace tactus::analysis
