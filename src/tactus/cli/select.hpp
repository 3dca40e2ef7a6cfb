// Analyses by name, as users write them.
#pragma once

#include <string>
#include <vector>

#include "tactus/analysis/analysis.hpp"

namespace tactus::cli {

/// The registry's entries of these ids. InputError, with the nearest known id, for those that are none.
std::vector<const analysis::Analysis*> select_analyses(const std::vector<std::string>& ids);

}  // namespace tactus::cli
