// Random systems of chains under `federated`: a seed gives the same system on every machine.
#pragma once

#include <cstdint>
#include <vector>

#include "support/random_systems.hpp"
#include "tactus/model/system.hpp"

namespace tactus::test {

/// What a random system may have.
struct FederatedShape {
  bool several_cores = true;
  bool virtual_sms = true;  // given; of best-effort tasks always
  bool best_effort = true;
  bool jitter_and_overheads = true;
  bool copies_in_pieces = true;
  std::int32_t max_sms = 8;
  std::int64_t gpu_factor = 1;     // `gpu` work is longer than other segments by this
  std::int64_t load_percent = 60;  // about how busy the busiest server is
};

/// 1 to 5 periodic and sporadic tasks with D <= T whose chains have 1 to 7 segments of any kind, in times of
/// a few nanoseconds, now and then of some microseconds: zeros, intervals, equal neighbours, CPU alone.
/// Jitter and overheads now and then, also best-effort tasks and copies in pieces.
System federated_system(std::uint64_t seed, const FederatedShape& shape = {});

/// Anything `federated` simulates: such systems, some of them overloaded, with D > T, `once` tasks, scripts
/// and exclusive work in slices among them.
Scenario federated_scenario(std::uint64_t seed);

// --- Chains in a few words, in nanoseconds
// -------------------------------------------------------------------

/// A sporadic task of D and T.
struct FederatedChain {
  std::vector<Segment> segments;
  std::int64_t deadline = 1;
  std::int64_t period = 1;
};

/// On one core and one virtual SM for each task with GPU work. Named task1, task2, ... with falling
/// priorities.
System federated_chains(const std::vector<FederatedChain>& tasks);

/// Some tasks keep one GPU segment of their work, which waits for its jobs on their SMs.
Scenario with_resident_tasks(Scenario scenario, std::uint64_t seed);

}  // namespace tactus::test
