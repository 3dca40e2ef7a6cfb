// The strategies of Tactus. Each has a file of its own.
#pragma once

#include "tactus/sched/strategy.hpp"

namespace tactus::sched {

extern const StrategyEntry as_submitted;
extern const StrategyEntry single_stream;
extern const StrategyEntry multi_stream;
extern const StrategyEntry sm_cores;
extern const StrategyEntry federated;
extern const StrategyEntry time_sliced;
extern const StrategyEntry graph;

/// GPU work as it comes, in streams that tasks name or of its own.
std::unique_ptr<Strategy> make_as_submitted(const System& system);
/// The streams that tasks name, in file order.
std::vector<std::string> streams_of_tasks(const System& system);

}  // namespace tactus::sched
