// window-exact: EDF inside the windows of `sm-cores`, simulated to its end.
//
// Claim: with H = lcm of all periods and the reservation period, and D <= T, no job ever misses its deadline
// if and only if
//   all offsets 0:  no deadline in [0, H] is missed;
//   else:           sum C/T <= Q/P, and no deadline in [0, largest offset + 2 H] is missed.
// Each core is judged alone in the `local` windows, the gang tasks alone in the `all` windows: the windows
// are disjoint.
//
// Source: Leung and Merrill, A note on preemptive scheduling of periodic, real-time tasks (1980); the windows
// repeat with P, so they act as one more periodic task.
//
// Model: sm-cores, order edf; periodic tasks with known offsets, D <= T, without jitter; no overheads; work
// that can be preempted anywhere. Best-effort tasks must be preemptible anywhere, too: then they do not
// matter.
//
// Kind: exact. A failing set comes with the first job that misses. More than `max_played_jobs` jobs, or an H
// beyond 64 bits, give up, unless a miss shows early.
//
// Soundness: sound. Under preemptive EDF shorter executions never delay any job, so worst-case times decide.
#include "tactus/analysis/analyses.hpp"

#include <algorithm>

#include "tactus/analysis/window_demand.hpp"
#include "tactus/analysis/window_schedule.hpp"
#include "tactus/base/text.hpp"
#include "tactus/model/dispatch.hpp"

namespace tactus::analysis {

namespace {

/// A schedule of more jobs is not simulated to its end.
constexpr std::int64_t max_played_jobs = 10'000'000;
/// Of a schedule that is too long, so many jobs are simulated nevertheless: a miss among them is a proof.
constexpr std::int64_t jobs_played_before_giving_up = 100'000;

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
  return {"on " + server.name + " job " + std::to_string(miss.job) + " of '" + name + "', released at " +
              to_text(miss.release) + ", misses its deadline at " + to_text(miss.deadline) + " by " +
              to_text(miss.left) + " of work",
          {{"server", server.name},
           {"task", name},
           {"job", miss.job},
           {"release_ns", Duration{in_ns(miss.release)}},
           {"deadline_ns", Duration{in_ns(miss.deadline)}},
           {"left_ns", miss.left}}};
}

Witness limit_witness(const GpuServer& server, const std::optional<Time>& horizon) {
  const auto number = [](std::int64_t value) { return with_thousands(static_cast<std::uint64_t>(value)); };
  const std::string limit = horizon ? "a schedule up to " + to_text(*horizon) + " has more than " +
                                          number(max_played_jobs) + " jobs"
                                    : "the common multiple of the periods does not fit 64 bits";
  return {
      server.name + ": " + limit + "; none of the first " + number(jobs_played_before_giving_up) + " misses",
      {{"server", server.name}, {"limit", limit}}};
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
  } else if (!results.fails_overloaded(server)) {
    if (whole) return results.keep_deadlines(server);
    results.fails(Verdict::gave_up, limit_witness(server, horizon));
  }
}

std::string find_obstacle(const System& system) {
  if (std::string obstacle = in_phase_obstacle(system); !obstacle.empty()) return obstacle;
  const Overheads& overheads = system.platform.overheads;
  if (longest_launch(system) > Duration{} || overheads.completion > Duration{}) {
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
  GpuServers found = cores_unless(find_obstacle(system), system);
  found.refuse(find_bad_best_effort(system, found.servers));
  Result result =
      judge_servers(system, found, "in the whole schedule no job misses its deadline",
                    [&](const GpuServer& server, ServerResults& results) { judge(system, server, results); });
  result.exact = result.applies();
  return result;
}

}  // namespace tactus::analysis
