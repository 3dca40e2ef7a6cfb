// What a run came to, as text and as JSON.
#pragma once

#include <string>

#include "run.hpp"

namespace hog {

/// A table of the cameras, and what was not as it should be.
std::string to_text(const RunResult& result);

/// All response times, in nanoseconds, with bounds and detections.
std::string to_json(const RunResult& result, const Settings& settings, std::string_view device);

/// Whether nearly all figures were found and hardly anything else: 95 % each.
bool finds_figures(const RunResult& result);

}  // namespace hog
