// Runs an experiment on all cores, and on all ranks if mpirun started several. Results depend on neither.
#pragma once

#include <functional>
#include <string>

#include "tactus/base/watch.hpp"
#include "tactus/sweep/counts.hpp"
#include "tactus/sweep/experiment.hpp"

namespace tactus::sweep {

class Ledger;
class Ranks;

/// The workers of a run.
struct Team {
  int ranks = 1;
  unsigned threads = 1;  // of all ranks together
};

struct RunOptions {
  unsigned threads = 0;    // of this process; 0: one for every core that this process may use
  Watch watch{};           // stopped, the run ends after the systems in progress
  Ranks* ranks = nullptr;  // this is rank 0, all others `serve`
  /// The machine gives fewer threads than were wanted, and why; the run goes on with these.
  std::function<void(unsigned had, unsigned wanted, const std::string& why)> on_fewer_threads{};
  /// When points were finished, and four times a second when something was judged: the time to save. Calls
  /// keep a distance of twenty times what they cost. The last call comes before the run ends, however it
  /// ends.
  std::function<void(const Ledger&, const Team&)> on_news{};
};

/// Judges what is missing in the ledger. The callbacks are called by the calling thread alone. An exception
/// of a generator or a callback ends the run; FailureError when a rank died.
void run(const Experiment& experiment, Ledger& ledger, const RunOptions& options);

/// The same from the beginning.
SweepResult run(const Experiment& experiment, const RunOptions& options);

}  // namespace tactus::sweep
