// Virtual SMs for analyses that need them and do not search them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tactus/analysis/analysis.hpp"
#include "tactus/model/system.hpp"

namespace tactus::sweep {

/// By task.
using VirtualSms = std::vector<std::optional<std::int64_t>>;

/// Whether the system's tasks need SMs of their own that it does not give.
bool lacks_sms(const System& system);

/// The analysis on each of these divisions of the SMs up to the first that it accepts, and then on divisions
/// of its own: one SM a task, then one more for the most urgent task with GPU work that has no bound. Its
/// result, with the division; where it accepts none, that of the last.
analysis::Result run_on_divisions(const analysis::Analysis& analysis, const System& system,
                                  std::span<const VirtualSms> divisions);

}  // namespace tactus::sweep
