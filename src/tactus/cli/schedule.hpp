// Options of a schedule, and tables of tasks, jobs and blocks.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tactus/analysis/check.hpp"
#include "tactus/base/time.hpp"
#include "tactus/model/system.hpp"
#include "tactus/sched/draws.hpp"
#include "tactus/trace/event.hpp"
#include "tactus/trace/statistics.hpp"

namespace tactus::cli {

/// `--for`; nothing when it was not given. InputError when it is not a duration.
std::optional<Duration> parse_length(const std::string& text);
/// `--seed`.
std::uint64_t parse_seed(const std::string& text);
/// `--execution`.
Execution execution_named(const std::string& name);

/// "2ms from 1ms on", or "none".
std::string window_text(const std::optional<Window>& window);
std::string jobs_table(const System& system, std::span<const trace::JobEnded> jobs);
/// For users: what became of a job that missed its deadline, in a schedule known up to `reached`.
std::string how_it_missed(const trace::JobEnded& job, Time reached);
std::string blocks_table(const System& system, std::span<const trace::BlockRan> blocks);
/// Response times with deadlines and bounds; of many tasks only the worst, unless `all`.
std::string tasks_table(const System& system, std::span<const trace::TaskStatistics> tasks,
                        std::span<const analysis::ProvenBound> bounds, bool all);

/// Smaller is worse.
struct Standing {
  bool in_order = true;  // no deadline missed, and a bound if there is a deadline
  Duration slack = Duration::max();

  friend auto operator<=>(const Standing&, const Standing&) = default;
};

/// The tasks that a table shows, and a line for below it if some are left out.
struct ShownTasks {
  std::vector<std::size_t> tasks;
  std::string note;
};

/// All tasks in file order; of more than 40, the 20 worst, the worst first, unless `all`.
ShownTasks shown_tasks(const std::vector<Standing>& standings, bool all);

}  // namespace tactus::cli
