// Turns the bounds of a federated system into a result with its reason; shared by the rtgpu tests.
#pragma once

#include "tactus/analysis/analysis.hpp"
#include "tactus/analysis/federated_response.hpp"
#include "tactus/analysis/server_results.hpp"

namespace tactus::analysis {

/// Judges the system on the SMs it gives. Where it does not give all, any division of the SMs that the test
/// accepts proves it; the first one is reported. `timed`: the system whose stages count.
Result judge_federated(const System& system, FederatedTest test, const System& timed);

/// Adds the bounds of all tasks, in the order of urgency; they hold up to the one that `fails`.
void tell_bounds(const FederatedTasks& tasks, std::span<const std::optional<Duration>> bounds,
                 const std::optional<std::size_t>& fails, Result& result);

/// "1ms on the CPU + 2ms on the GPU": what a job itself does, without what takes no time.
std::string own_terms(Duration cpu, Duration copies, Duration gpu);

/// Adds the division of the SMs to the result. `sms` in the order of urgency.
void tell_division(const System& system, const FederatedTasks& tasks, std::span<const std::int64_t> sms,
                   Result& result);

/// A core or the copy engine whose tasks need more than all of its time, by their worst cases without
/// overheads: then every test may answer unschedulable.
std::optional<Witness> federated_overload(const System& system);

}  // namespace tactus::analysis
