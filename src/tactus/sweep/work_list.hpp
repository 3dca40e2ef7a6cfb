// Cuts the systems that are left to judge into chunks of a suitable size.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tactus/sweep/judge.hpp"

namespace tactus::sweep {

/// Hands out every system once, in order. How the work is cut has no influence on results.
class WorkList {
 public:
  explicit WorkList(std::vector<Batch> gaps);

  [[nodiscard]] bool empty() const { return left_ == 0; }
  [[nodiscard]] std::int64_t left() const { return left_; }

  /// The next chunk, for one of that many threads. By previous measurements it takes about 20 ms, less
  /// towards the end so that all threads end together. There must be something left.
  Batch next(unsigned threads);

  /// Learns how long systems take.
  void learn(std::int64_t systems, std::chrono::duration<double> took);
  /// Whether chunks are so quick that a thread should get the next one before it asks.
  [[nodiscard]] bool are_quick() const;

 private:
  std::vector<Batch> gaps_;
  std::size_t current_ = 0;
  std::int64_t left_ = 0;
  double seconds_a_system_ = 1;  // until measured: one system for each chunk
};

}  // namespace tactus::sweep
