// How long work takes that may take more or less.
#pragma once

#include <cstdint>

namespace tactus {

/// How a value inside an interval is chosen. Delays lie in [0, their bound].
enum class Execution : std::uint8_t { worst, best, random };

}  // namespace tactus
