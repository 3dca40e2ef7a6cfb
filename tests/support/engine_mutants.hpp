// Tests that count the engine's time with one term dropped.
#pragma once

#include <vector>

#include "support/mutants.hpp"

namespace tactus::test {

std::vector<Mutant> engine_mutants();

}  // namespace tactus::test
