#include "tactus/analysis/window_exact.hpp"

#include <algorithm>
#include <utility>

#include "tactus/analysis/gpu_tasks.hpp"
#include "tactus/analysis/in_phase.hpp"
#include "tactus/analysis/server_results.hpp"
#include "tactus/analysis/window_schedule.hpp"
#include "tactus/base/text.hpp"

namespace tactus::analysis {

namespace {

std::optional<std::int64_t> cycle_of(std::span<const PeriodicTask> tasks,
                                     const std::optional<Supply>& supply) {
  std::optional<std::int64_t> cycle = supply ? in_ns(supply->period) : 1;
  for (const PeriodicTask& task : tasks) {
    if (cycle) cycle = checked_lcm(*cycle, in_ns(task.period));
  }
  return cycle;
}

/// The instant up to which a miss shows if there is any; nothing when it leaves 64 bits.
std::optional<Time> horizon_of(std::span<const PeriodicTask> tasks, std::int64_t cycle) {
  Duration latest{};
  for (const PeriodicTask& task : tasks) latest = std::max(latest, task.offset);
  if (latest == Duration{}) return time_at(Duration{cycle});
  const Int128 end = static_cast<Int128>(cycle) * 2 + in_ns(latest);
  if (end >= in_ns(never)) return std::nullopt;
  return time_at(Duration{static_cast<std::int64_t>(end)});
}

bool too_many_jobs(std::span<const PeriodicTask> tasks, Time horizon) {
  Int128 jobs = 0;
  for (const PeriodicTask& task : tasks) {
    const std::int64_t length = in_ns(horizon - task.offset);
    if (length > 0) jobs += ceil_div(length, in_ns(task.period));
  }
  return jobs > max_played_jobs;
}

Witness miss_witness(const System& system, const GpuServer& server, const MissedJob& miss) {
  const std::string& name = system.tasks[server.tasks[miss.task].task].name;
  Witness witness;
  witness.reason = "on " + server.name + " job " + std::to_string(miss.job) + " of '" + name +
                   "', released at " + to_text(miss.release) + ", misses its deadline at " +
                   to_text(miss.deadline) + " by " + to_text(miss.left) + " of work";
  witness.detail = {{"server", server.name},
                    {"task", name},
                    {"job", miss.job},
                    {"release_ns", Duration{in_ns(miss.release)}},
                    {"deadline_ns", Duration{in_ns(miss.deadline)}},
                    {"left_ns", miss.left}};
  return witness;
}

Witness limit_witness(const GpuServer& server, const std::optional<Time>& horizon) {
  const auto number = [](std::int64_t value) { return with_thousands(static_cast<std::uint64_t>(value)); };
  const std::string limit = horizon ? "a schedule up to " + to_text(*horizon) + " has more than " +
                                          number(max_played_jobs) + " jobs"
                                    : "the common multiple of the periods does not fit 64 bits";
  Witness witness;
  witness.reason =
      server.name + ": " + limit + "; none of the first " + number(jobs_played_before_giving_up) + " misses";
  witness.detail = {{"server", server.name}, {"limit", limit}};
  return witness;
}

void judge(const System& system, const GpuServer& server, ServerResults& results) {
  std::vector<PeriodicTask> tasks;
  for (const GpuTask& task : server.tasks)
    tasks.push_back({system.tasks[task.task].offset, task.cost, task.deadline, task.period});
  const std::optional<std::int64_t> cycle = cycle_of(tasks, server.supply);
  const std::optional<Time> horizon = cycle ? horizon_of(tasks, *cycle) : std::nullopt;
  const bool whole = horizon && !too_many_jobs(tasks, *horizon);
  const ScheduleOutcome outcome = play_edf(tasks, server.supply, horizon.value_or(never),
                                           whole ? max_played_jobs : jobs_played_before_giving_up);
  if (outcome.miss) {
    results.fails(Verdict::unschedulable, miss_witness(system, server, *outcome.miss));
  } else if (is_overloaded(server)) {
    results.fails(Verdict::unschedulable, overload_witness(server));
  } else if (!whole) {
    results.fails(Verdict::gave_up, limit_witness(server, horizon));
  } else {
    results.keep_deadlines(server);
  }
}

std::string find_obstacle(const System& system) {
  if (std::string obstacle = in_phase_obstacle(system); !obstacle.empty()) return obstacle;
  const Overheads& overheads = system.platform.overheads;
  if (overheads.launch > Duration{} || overheads.completion > Duration{}) {
    return "needs a machine without overheads: platform.overheads.launch or completion is not 0";
  }
  return {};
}

std::string find_bad_best_effort(const System& system, std::span<const GpuServer> servers) {
  for (const GpuServer& server : servers) {
    for (const BestEffortBlock& block : server.best_effort_blocks) {
      if (block.length > Duration{}) {
        return "needs work that can be preempted anywhere: best-effort task '" +
               system.tasks[block.task].name + "' keeps " + server.name + " for up to " +
               to_text(block.length);
      }
    }
  }
  return {};
}

}  // namespace

Result window_exact(const System& system) {
  if (std::string obstacle = find_obstacle(system); !obstacle.empty())
    return does_not_apply(std::move(obstacle));
  GpuServers found = sm_core_servers(system);
  if (!found.why_not.empty()) return does_not_apply(std::move(found.why_not));
  if (std::string obstacle = find_bad_best_effort(system, found.servers); !obstacle.empty())
    return does_not_apply(std::move(obstacle));
  ServerResults results{system};
  results.is_exact(true);
  for (const GpuServer& server : found.servers) judge(system, server, results);
  return std::move(results).finish("in the whole schedule no job misses its deadline");
}

Analysis window_exact_analysis() {
  return {.id = "window-exact",
          .title = "EDF in windows, played to its end",
          .source = "Leung and Merrill 1980, with windows",
          .strategy = "sm-cores",
          .needs =
              "sm-cores, order edf; periodic tasks with known offsets, deadlines no longer than periods, no "
              "jitter, no overheads; exclusive work with longest_block 0, also of best-effort tasks",
          .kind = Kind::exact,
          .sound = true,
          .run = window_exact};
}

}  // namespace tactus::analysis
