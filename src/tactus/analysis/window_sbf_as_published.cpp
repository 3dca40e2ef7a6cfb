#include "tactus/analysis/window_sbf_as_published.hpp"

#include <algorithm>
#include <utility>

#include "tactus/analysis/as_published.hpp"
#include "tactus/analysis/window_demand.hpp"
#include "tactus/base/text.hpp"

namespace tactus::analysis {

namespace {

/// (8) for one interval length, without demand below 0.
Int128 printed_demand(const GpuServer& server, std::int64_t length) {
  Int128 demand = 0;
  for (const GpuTask& task : server.tasks) {
    const std::int64_t jobs = (length - in_ns(task.deadline)) / in_ns(task.period) - 1;
    if (length >= in_ns(task.deadline) && jobs > 0) demand += static_cast<Int128>(jobs) * in_ns(task.cost);
  }
  return demand;
}

/// The last length below `length` at which a printed demand grows; 0 when there is none.
std::int64_t last_step_before(const GpuServer& server, std::int64_t length) {
  std::int64_t last = 0;
  for (const GpuTask& task : server.tasks) {
    const std::int64_t since = length - 1 - in_ns(task.deadline);
    if (since >= 0)
      last = std::max(last, in_ns(task.deadline) + since / in_ns(task.period) * in_ns(task.period));
  }
  return last;
}

std::optional<std::int64_t> hyperperiod_of(const GpuServer& server) {
  std::optional<std::int64_t> hyperperiod = 1;
  for (const GpuTask& task : server.tasks) {
    if (hyperperiod) hyperperiod = checked_lcm(*hyperperiod, in_ns(task.period));
  }
  return hyperperiod;
}

/// Backwards from the hyperperiod: if the demand of a length is covered by what a shorter one has, all
/// lengths in between hold, too.
void judge(const GpuServer& server, ServerResults& results) {
  const SupplyBound supply = windows_of(server);
  const std::int64_t end = std::min(hyperperiod_of(server).value_or(in_ns(never)), in_ns(never) - 1);
  std::int64_t length = last_step_before(server, end + 1);
  Witness witness;
  for (std::int64_t looked_at = 0; looked_at < max_printed_lengths; ++looked_at) {
    const Int128 demand = printed_demand(server, length);
    if (demand == 0) {
      results.keep_deadlines(server);
      return;
    }
    const Int128 covered = supply.time_for(demand);
    if (covered > length) {
      witness.reason = "the printed demand of " + server.name + " exceeds the supply of an interval of " +
                       to_text(Duration{length});
      witness.detail = {{"server", server.name}, {"interval_ns", Duration{length}}};
      results.fails(Verdict::unproven, std::move(witness));
      return;
    }
    length = last_step_before(server, static_cast<std::int64_t>(covered));
  }
  const std::string limit =
      "more than " + with_thousands(static_cast<std::uint64_t>(max_printed_lengths)) + " interval lengths";
  witness.reason = server.name + ": " + limit;
  witness.detail = {{"server", server.name}, {"limit", limit}};
  results.fails(Verdict::gave_up, std::move(witness));
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
      .strategy = "sm-cores",
      .needs =
          "sm-cores, order edf; periodic or sporadic tasks, deadlines no longer than periods; exclusive work "
          "with longest_block 0; no overheads, jitter or best-effort tasks",
      .kind = Kind::sufficient,
      .sound = false,
      .run = window_sbf_as_published};
}

}  // namespace tactus::analysis
