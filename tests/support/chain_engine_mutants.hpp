// The tests of chains with engine time, each with one term dropped.
#pragma once

#include <vector>

#include "support/mutants.hpp"

namespace tactus::test {

std::vector<Mutant> chain_engine_mutants();

}  // namespace tactus::test
