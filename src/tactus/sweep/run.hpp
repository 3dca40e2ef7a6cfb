// Runs an experiment on all cores, and on all ranks if mpirun started several. Results depend on neither.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "tactus/sweep/counts.hpp"
#include "tactus/sweep/experiment.hpp"
#include "tactus/sweep/ledger.hpp"
#include "tactus/sweep/pool.hpp"
#include "tactus/sweep/ranks.hpp"

namespace tactus::sweep {

/// The workers of a run.
struct Team {
  int ranks = 1;
  unsigned threads = 1;  // of all ranks together
};

struct RunOptions {
  unsigned threads = 0;                     // of this process; 0: see `thread_count`
  const std::atomic<bool>* stop = nullptr;  // set from outside: the run ends after the current systems
  Ranks* ranks = nullptr;                   // this is rank 0, all others `serve`
  /// Called when fewer threads than requested could be started, with the reason; the run continues with
  /// these.
  std::function<void(unsigned had, unsigned wanted, const std::string& why)> on_fewer_threads{};
  std::function<void(double)> on_progress{};  // the part that is done, from 0 to 1
  /// Called when points were finished, and four times a second when something was judged, to save the ledger.
  /// Calls are at least twenty times their own duration apart. The last call comes before the run ends,
  /// however it ends.
  std::function<void(const Ledger&, const Team&)> on_news{};
};

/// Judges what is missing in the ledger. The callbacks are called by the calling thread alone. An exception
/// of a generator or a callback ends the run; FailureError when a rank died.
void run(const Experiment& experiment, Ledger& ledger, const RunOptions& options);

/// The same from the beginning.
SweepResult run(const Experiment& experiment, const RunOptions& options);

}  // namespace tactus::sweep
