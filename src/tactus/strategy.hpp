// A strategy of your own: which work goes where, and when.
//
// Derive a class from `sched::Strategy`, describe it in a `sched::StrategyEntry` and call
// `sched::add_strategy`: from then on system files may name it, and simulation and runs use it. See
// docs/design.md, "To add a strategy".
#pragma once

#include "tactus/sched/gpu_work.hpp"
#include "tactus/sched/strategy.hpp"
