// Where a shown number may leave the true one.
#pragma once

#include <cstdint>

namespace tactus {

/// A bound is shown too long rather than too short, a margin too short rather than too long.
enum class Rounding : std::uint8_t { down, up };

}  // namespace tactus
