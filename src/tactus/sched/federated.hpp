// Federated: every task owns SMs; CPUs are preemptive and the copy engine is not, both by fixed priority.
//
// A job's segments go one after the other, and so do the jobs of a task. CPU segments are handed to their
// core with the task's rank. Copies wait here and go to the copy engine one request at a time, the most
// urgent first; neighbouring copies are one request. GPU segments start at once on the task's own SMs. CPU
// segments and copies that can only take no time are not issued.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tactus/sched/strategy.hpp"

namespace tactus::sched {

std::unique_ptr<Strategy> make_federated(const System& system);
std::vector<std::string> federated_refusals(const System& system, const Capabilities& capabilities);

inline constexpr StrategyEntry federated{.kind = StrategyKind::federated,
                                         .name = "federated",
                                         .refusals = federated_refusals,
                                         .make = make_federated};

}  // namespace tactus::sched
