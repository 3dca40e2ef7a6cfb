// Shared by `sim` and `run`: options of a schedule and its output.
#pragma once

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

std::string jobs_table(const System& system, std::span<const trace::JobEnded> jobs);
/// For users: what became of a job that missed its deadline, in a schedule known up to `reached`.
std::string how_it_missed(const trace::JobEnded& job, Time reached);
std::string blocks_table(const System& system, std::span<const trace::BlockRan> blocks);
/// Response times with deadlines and bounds; of many tasks only the worst, unless `all`.
std::string tasks_table(const System& system, std::span<const trace::TaskStatistics> tasks,
                        std::span<const analysis::ProvenBound> bounds, bool all);
}  // namespace tactus::cli
