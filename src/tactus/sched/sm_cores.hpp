// Strategy `sm-cores`: SMs, or groups of them, act as cores.
//
// In a `local` window each core serves its own tasks; in an `all` window gang jobs run on all SMs, one at a
// time. Within a window the most urgent ready job runs (EDF or fixed priorities). Work is submitted slice by
// slice: a slice of exclusive work, or one wave of blocks, which start and end together. So every submission
// starts at once, no submission of one core blocks the head of a queue that other cores share, and the
// scheduler decides again after every slice. Work that is preemptible anywhere is submitted whole, and
// stopped when a more urgent job is ready or the window closes.
//
// A slice starts only if its worst-case execution time fits into the rest of the window. If the next slice of
// the most urgent job does not fit, the core idles to the end of the window. Best-effort slices run at the
// least urgent level when no real-time job of the core is ready.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "tactus/sched/strategy.hpp"

namespace tactus::sched {

std::vector<std::string> sm_cores_refusals(const System& system, const Capabilities& capabilities);
std::unique_ptr<Strategy> make_sm_cores(const System& system);

std::vector<std::string> names_of_cores(const System& system);
std::vector<Violation> missing_windows_and_cores(const System& system);

inline constexpr std::array sm_cores_orders{Order::edf, Order::fp};
inline constexpr StrategyEntry sm_cores{.facts = {.name = "sm-cores",
                                                  .orders = sm_cores_orders,
                                                  .sms = SmSharing::cores,
                                                  .one_by_one = true,
                                                  .stream_names = names_of_cores,
                                                  .missing = missing_windows_and_cores},
                                        .refusals = sm_cores_refusals,
                                        .make = make_sm_cores};

}  // namespace tactus::sched
