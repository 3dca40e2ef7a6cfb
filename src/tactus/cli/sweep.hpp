// The options of `tactus sweep`.
#pragma once

#include <cstdint>
#include <string>

namespace tactus::cli {

struct SweepOptions {
  std::string file;
  std::string folder;
  unsigned threads = 0;
  std::int64_t systems = 0;
  bool restart = false;
  bool json = false;
};

/// Returns the exit status. In `tactus` it executes the program tactus-sweep, so that only users of sweeps
/// need MPI; in tactus-sweep it does the work.
int run_sweep(const SweepOptions& options);

}  // namespace tactus::cli
