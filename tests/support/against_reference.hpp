// Holds the simulator against a plain reference, scenario by scenario.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "support/plain_simulator.hpp"
#include "support/random_systems.hpp"

namespace tactus::test {

using Reference = PlainResult (*)(const System& system, const sim::SimulationOptions& options);
using Mismatch = std::optional<std::string> (*)(const Scenario& scenario, Reference reference);

/// How the simulator differs from the reference, block by block and in bulk; nothing when it does not.
std::optional<std::string> mismatch(const Scenario& scenario, Reference reference);

/// With few jobs pending at once the simulator leaves jobs out, and says from when on that would show. Up to
/// there nothing may differ.
std::optional<std::string> mismatch_with_few_pending(const Scenario& scenario, Reference reference);

/// The first scenario of a range of seeds that is not valid or does not match, made as small as possible;
/// nothing when there is none.
std::optional<std::string> find_mismatch(std::uint64_t first, std::uint64_t number,
                                         const std::function<Scenario(std::uint64_t)>& generate,
                                         Reference reference, Mismatch mismatch_of = mismatch);

}  // namespace tactus::test
