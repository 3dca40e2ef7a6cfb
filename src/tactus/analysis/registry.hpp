// The analyses Tactus ships, in the order in which they are listed.
#pragma once

#include <span>
#include <string_view>

#include "tactus/analysis/analysis.hpp"

namespace tactus::analysis {

std::span<const Analysis> registry();

/// Null when there is none of that id.
const Analysis* find(std::string_view id);

}  // namespace tactus::analysis
