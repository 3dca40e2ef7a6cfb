// Any valid system a file can describe: what the reader and the writer of system files have to agree on.
#pragma once

#include <cstdint>

#include "tactus/model/system.hpp"

namespace tactus::test {

/// Every strategy with every parameter, also those of other strategies; presets with and without differences;
/// every kind of segment, chain and graph; intervals; copies in bytes; chains of tasks; names that need
/// quotes. Parameters that `plan` finds may be missing. Numbers reach from 0 to the limits of 64 bits.
System any_system(std::uint64_t seed);

}  // namespace tactus::test
