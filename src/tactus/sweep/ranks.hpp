// The processes of a sweep: one, unless mpirun started several. The only header that is aware of
// MPI; its implementation is chosen at build time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tactus::sweep {

/// Whether mpirun started this process, by environment variables that launchers set (Open MPI, PMIx, MPICH).
/// Asking MPI itself would initialise it.
inline bool launched_by_mpirun() {
  constexpr std::array marks{"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"};
  return std::any_of(marks.begin(), marks.end(),
                     [](const char* name) { return std::getenv(name) != nullptr; });
}

/// Rank 0 leads: it assigns work, writes files and prints. To be used by one thread. There may be one
/// object of this class in the life of a process.
class Ranks {
 public:
  struct Message {
    int from = 0;
    std::string text;  // empty: rank 0 is done, and so are all ranks
  };

  /// Joins the others if mpirun started this process. FailureError when it did and this build has no MPI.
  Ranks();
  /// Rank 0 tells the others to end; all end together.
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  [[nodiscard]] int rank() const;
  [[nodiscard]] int count() const;
  /// Other ranks on the same machine.
  [[nodiscard]] unsigned neighbours() const;
  /// Ranks on this machine whose process has died.
  [[nodiscard]] std::vector<int> dead() const;

  void send(int rank, const std::string& text);
  /// A message that has come in; does not wait.
  std::optional<Message> receive();
  /// The same, but waits for one.
  Message wait();

 private:
  struct World;
  std::unique_ptr<World> world_;  // null without MPI
};

}  // namespace tactus::sweep
