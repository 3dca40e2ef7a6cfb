#include "tactus/sweep/mpi_launch.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace tactus::sweep {

bool launched_by_mpirun() {
  constexpr std::array marks{"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"};
  return std::any_of(marks.begin(), marks.end(),
                     [](const char* name) { return std::getenv(name) != nullptr; });
}

}  // namespace tactus::sweep
