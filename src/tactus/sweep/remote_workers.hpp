// The other ranks of a sweep, as rank 0 sees them.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "tactus/sweep/experiment.hpp"
#include "tactus/sweep/messages.hpp"
#include "tactus/sweep/ranks.hpp"

namespace tactus::sweep {

class RemoteWorkers {
 public:
  /// `ranks` may be null: there are no others then.
  RemoteWorkers(const Experiment& experiment, Ranks* ranks);

  [[nodiscard]] bool any() const { return !ranks_.empty(); }
  /// Of those that are ready.
  [[nodiscard]] unsigned threads() const;
  /// Chunks that were assigned and not answered.
  [[nodiscard]] std::size_t in_flight() const;

  /// Assigns chunks to every ready rank, up to a fixed number for each thread, as long as `next` has some.
  void hand_out(unsigned batches_per_thread, const std::function<bool()>& is_empty,
                const std::function<Batch()>& next);
  /// The answers received. FailureError when a rank failed.
  std::vector<Answer> collect();
  /// FailureError when a rank has died.
  void check_alive() const;

 private:
  struct Worker {
    unsigned threads = 0;  // 0: not ready yet
    std::size_t in_flight = 0;
  };

  void welcome(int rank, const Hello& hello);

  const Experiment& experiment_;
  Ranks* transport_;
  std::vector<Worker> ranks_;  // rank 1 first
};

/// The work of every rank but 0: judges the assigned chunks until rank 0 is done.
void serve(const Experiment& experiment, Ranks& ranks, unsigned threads);

}  // namespace tactus::sweep
