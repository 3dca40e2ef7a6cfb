// The direction in which a displayed number may be rounded.
#pragma once

#include <cstdint>

namespace tactus {

/// Bounds are rounded up and margins down, so that the display is never optimistic.
enum class Rounding : std::uint8_t { down, up };

}  // namespace tactus
