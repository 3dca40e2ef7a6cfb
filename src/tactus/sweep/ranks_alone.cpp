// Ranks in a build without MPI: there is one.
#include "tactus/base/error.hpp"
#include "tactus/sweep/ranks.hpp"

namespace tactus::sweep {

struct Ranks::World {};

Ranks::Ranks() {
  if (!launched_by_mpirun()) return;
  throw FailureError{
      "this build of tactus cannot share work over mpirun: build it where MPI is installed (packages "
      "libopenmpi-dev, openmpi-bin)"};
}

Ranks::~Ranks() = default;

int Ranks::rank() const { return 0; }
int Ranks::count() const { return 1; }
unsigned Ranks::neighbours() const { return 0; }
std::vector<int> Ranks::dead() const { return {}; }
void Ranks::send(int /*rank*/, const std::string& /*text*/) {}
std::optional<Ranks::Message> Ranks::receive() { return std::nullopt; }
Ranks::Message Ranks::wait() { return {}; }

}  // namespace tactus::sweep
