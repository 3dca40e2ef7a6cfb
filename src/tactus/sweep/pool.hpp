// The worker threads of a sweep in this process.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <vector>

#include "tactus/base/threads.hpp"
#include "tactus/base/watch.hpp"
#include "tactus/sweep/experiment.hpp"
#include "tactus/sweep/judge.hpp"

namespace tactus::sweep {

/// With an error the rest has no meaning.
struct Judged : Answer {
  std::exception_ptr error{};
};

/// Judges chunks in the order in which they were submitted, on as many threads as it was given. To be used by
/// one thread, which works itself only where no other could be started.
class Pool {
 public:
  /// Once it is stopped, chunks end after the system they are at. The experiment must outlive the pool.
  Pool(const Experiment& experiment, unsigned threads, Watch watch);
  /// Stops, and waits for the systems in progress.
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// The number of threads that judge: at least one.
  [[nodiscard]] unsigned threads() const;
  /// Why there are fewer than requested.
  [[nodiscard]] const Refusal& refusal() const { return threads_.refusal; }

  void submit(const Batch& batch);
  /// Chunks that were submitted and whose results were not taken yet.
  [[nodiscard]] std::size_t in_flight() const { return in_flight_; }
  /// The results since the last call; waits for the first one for at most that long.
  std::vector<Judged> take(std::chrono::milliseconds patience);

 private:
  using Lock = std::unique_lock<std::mutex>;

  [[nodiscard]] bool must_stop() const;
  void work();
  void judge_next(Lock& lock);

  const Experiment& experiment_;
  Watch watch_;
  std::atomic<bool> over_{false};
  std::size_t in_flight_ = 0;

  std::mutex mutex_;  // guards all up to the next blank line
  std::condition_variable submitted_;
  std::condition_variable done_;
  std::deque<Batch> waiting_;
  std::vector<Judged> judged_;

  Threads threads_;  // last: they use the others
};

/// The threads a pool has when a user asks for that many: 0 means one for every core that this process may
/// use, shared with `neighbours` other processes of the same run on this machine.
unsigned thread_count(unsigned wanted, unsigned neighbours = 0);

}  // namespace tactus::sweep
