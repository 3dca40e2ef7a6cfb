// Strategy `federated`: every task owns SMs. CPU cores serve by preemptive fixed priority, the copy engine by
// non-preemptive fixed priority.
//
// The segments of a job run one after the other, and so do the jobs of a task. CPU segments are submitted to
// their cores with the rank of the task. Copies queue in the strategy and go to the copy engine one request
// at a time, the most urgent first; neighbouring copies form one request. GPU segments start at once on the
// SMs of their task. CPU segments and copies whose longest time is zero are not submitted.
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
