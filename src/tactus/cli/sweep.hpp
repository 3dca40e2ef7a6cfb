// What is asked of `tactus sweep`.
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

/// Answers the exit status. In `tactus` it hands over to the program tactus-sweep, so that nobody needs MPI
/// but who sweeps; there it does the work.
int run_sweep(const SweepOptions& options);

}  // namespace tactus::cli
