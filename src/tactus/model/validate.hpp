// The rules a model must keep. Checked once, at the boundary; code behind it relies on them.
#pragma once

#include <vector>

#include "tactus/model/finding.hpp"
#include "tactus/model/system.hpp"

namespace tactus {

/// Every rule of the model the system breaks, in file order; empty when it is valid.
std::vector<Finding> validate(const System& system);

/// What `check` and `sim` need beyond a valid model and only `plan` can do without, as the strategy says.
std::vector<Finding> find_missing_parameters(const System& system);

}  // namespace tactus
