// Strategy `sm-cores`: SMs, or groups of them, as cores.
//
// In a `local` window each core serves its own tasks; in an `all` window gang jobs run one at a time on all
// SMs. Inside, the best ready job runs (EDF or fixed priorities). Work is submitted slice by slice: a slice
// of exclusive work, or one wave of a kernel's blocks, which start and end together. So every submission
// starts at once, no core's work waits at the head of a queue that other cores need, and the choice is made
// anew after every slice. Work that can be preempted anywhere is submitted whole and stopped when a better
// job comes or the window closes.
//
// A slice is started only if it ends inside the window whatever it draws: the strategy counts with the worst
// case. If the best job's next slice does not fit, the core idles to the window's end. Best-effort slices run
// when no real-time job of that core is ready, at the least urgent level.
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
