// What `sim` and `run` share: how a schedule is asked for and shown.
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

/// `--for`; nothing when it was not given. InputError when it is no length of time.
std::optional<Duration> parse_length(const std::string& text);
/// `--seed`.
std::uint64_t parse_seed(const std::string& text);
/// `--execution`.
Execution execution_named(const std::string& name);

std::string jobs_table(const System& system, std::span<const trace::JobEnded> jobs);
/// For people: what became of a job that missed its deadline, in a schedule that is known up to an instant.
std::string how_it_missed(const trace::JobEnded& job, Time reached);
std::string blocks_table(const System& system, std::span<const trace::BlockRan> blocks);
/// Responses beside deadlines and bounds; of many tasks the worst, unless `all` are wanted.
std::string tasks_table(const System& system, std::span<const trace::TaskStatistics> tasks,
                        std::span<const analysis::ProvenBound> bounds, bool all);
}  // namespace tactus::cli
