// Federated: every task owns SMs; CPUs are preemptive and the copy engine is not, both by fixed priority.
//
// A job's segments go one after the other, and so do the jobs of a task. CPU segments are handed to their
// core with the task's rank. Copies wait here and go to the copy engine one request at a time, the most
// urgent first; neighbouring copies are one request. GPU segments start at once on the task's own SMs. CPU
// segments and copies that can only take no time are not issued.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "tactus/sched/strategy.hpp"

namespace tactus::sched {

std::unique_ptr<Strategy> make_federated(const System& system);
std::vector<std::string> federated_refusals(const System& system, const Capabilities& capabilities);

std::vector<Violation> missing_virtual_sms(const System& system);

inline constexpr std::array federated_orders{Order::fp};
inline constexpr StrategyEntry federated{.facts = {.name = "federated",
                                                   .orders = federated_orders,
                                                   .sms = SmSharing::owned,
                                                   .one_by_one = true,
                                                   .cuts_copies = true,
                                                   .missing = missing_virtual_sms},
                                         .refusals = federated_refusals,
                                         .make = make_federated};

}  // namespace tactus::sched
