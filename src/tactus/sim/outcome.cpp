#include <array>

#include "tactus/sim/simulate.hpp"

namespace tactus::sim {

std::string_view to_string(SimulationEnd ending) {
  constexpr std::array<std::string_view, 3> names{"horizon", "too-many-jobs", "interrupted"};
  return names.at(static_cast<std::size_t>(ending));
}

}  // namespace tactus::sim
