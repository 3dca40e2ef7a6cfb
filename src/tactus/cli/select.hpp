// Looks up analyses by name.
#pragma once

#include <string>
#include <vector>

#include "tactus/analysis/analysis.hpp"

namespace tactus::cli {

/// The registry entries with these ids. InputError, with the nearest known id, for unknown ones.
std::vector<const analysis::Analysis*> select_analyses(const std::vector<std::string>& ids);

}  // namespace tactus::cli
