// The bound of gpu-lock, gpu-server and mpcp: requests to one device that serves the most urgent first and
// does not interrupt.
#pragma once

#include <optional>

#include "tactus/analysis/gpu_users.hpp"

namespace tactus::analysis {

/// `server_core`: where a server thread launches all GPU work, above all tasks; nothing: each task launches
/// its own.
Responses lock_responses(const GpuUsers& users, std::optional<std::int32_t> server_core);

}  // namespace tactus::analysis
