// The threads of this process, as workers of a sweep.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <vector>

#include "tactus/sweep/experiment.hpp"
#include "tactus/sweep/judge.hpp"

namespace tactus::sweep {

/// What came of a chunk; with an error the rest means nothing.
struct Judged {
  Chunk chunk;
  PartCounts part;
  std::chrono::duration<double> took{};
  std::exception_ptr error;
};

/// Judges chunks on threads of oneTBB, in the order in which they were submitted. To be used by one thread,
/// which is never one of the workers.
class Pool {
 public:
  /// `stop` may be null; once it is true, chunks end after the system they are at. The experiment must
  /// outlive the pool.
  Pool(const Experiment& experiment, unsigned threads, const std::atomic<bool>* stop);
  /// Stops, and waits for the systems under way.
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  Pool(Pool&&) = delete;
  Pool& operator=(Pool&&) = delete;

  void submit(const Chunk& chunk);
  /// Chunks that were submitted and not taken yet.
  [[nodiscard]] std::size_t under_way() const { return under_way_; }
  /// What was judged since the last call; waits for the first of it for at most that long.
  std::vector<Judged> take(std::chrono::milliseconds patience);

 private:
  class Workers;  // keeps TBB's headers out of this one
  std::unique_ptr<Workers> workers_;
  std::size_t under_way_ = 0;
};

/// The threads a pool has when a user asks for that many: 0 means one for every core that this process may
/// use, shared with `neighbours` other processes of the same run on this machine.
unsigned thread_count(unsigned wanted, unsigned neighbours = 0);

}  // namespace tactus::sweep
