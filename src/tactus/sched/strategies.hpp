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

}  // namespace tactus::sched
