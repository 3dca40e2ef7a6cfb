// Small random systems of chains under `federated`, and ways to give them SMs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tactus/model/system.hpp"

namespace tactus::test {

/// A system of one to four chains on one to four SMs, small numbers, any order of segments, zeros, intervals,
/// now and then jitter, overheads and a best-effort task. It gives no virtual SMs.
System small_chain_system(std::uint64_t seed, bool several_cores);

/// Physical SMs by task, drawn, at least one for each that uses the GPU; nothing where there are fewer SMs
/// than such tasks.
std::optional<std::vector<std::int64_t>> draw_sms(const System& system, std::uint64_t seed);

/// The system with these physical SMs given.
System with_sms(System system, const std::vector<std::int64_t>& sms);

}  // namespace tactus::test
