// Validates a model, once, when it is loaded; later code relies on it.
#pragma once

#include <vector>

#include "tactus/model/system.hpp"
#include "tactus/model/violation.hpp"

namespace tactus {

/// Every rule of the model the system breaks, in file order; empty when it is valid.
std::vector<Violation> validate(const System& system);

/// What `check` and `sim` need beyond a valid model, by the strategy; `plan` can do without.
std::vector<Violation> find_missing_parameters(const System& system);

/// Of those, what is open under every strategy: cores (`core: any`) and variants of work.
std::vector<Violation> find_open_choices(const System& system);

}  // namespace tactus
