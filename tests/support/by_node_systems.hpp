// Random systems in which each node goes to a server of its own: a seed gives the same system on every
// machine.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "support/random_systems.hpp"

namespace tactus::test {

inline constexpr std::array<std::string_view, 6> by_node_strategies{
    "as-submitted", "single-stream", "multi-stream", "sm-cores", "time-sliced", "federated"};

/// Chains and graphs of CPU work, copies and GPU work under every strategy: all orders and scopes of cores,
/// with and without preemption, all orders of copies on one to three engines, busy and suspended waiting.
/// Otherwise like federated_scenario: jitter, overheads, best-effort tasks, scripts, overload.
Scenario by_node_scenario_under(std::string_view strategy, std::uint64_t seed);
/// Under any of the strategies.
Scenario by_node_scenario(std::uint64_t seed);

}  // namespace tactus::test
