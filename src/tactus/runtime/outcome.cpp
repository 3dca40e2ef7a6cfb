#include "tactus/runtime/outcome.hpp"

#include <array>

namespace tactus::runtime {

std::string_view to_string(RunEnd ending) {
  constexpr std::array<std::string_view, 5> names{"horizon", "stopped", "miss", "failed", "lost"};
  return names.at(static_cast<std::size_t>(ending));
}

}  // namespace tactus::runtime
