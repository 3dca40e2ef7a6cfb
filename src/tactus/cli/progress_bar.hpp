// A progress bar on stderr; nothing is drawn when stderr is not a terminal.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "tactus/base/watch.hpp"

namespace tactus::cli {

/// Drawn by a thread of its own: a slow terminal must not delay the work.
class ProgressBar {
 public:
  /// `part_at_start` was done earlier and does not count for the speed.
  explicit ProgressBar(const std::string& what, double part_at_start = 0);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// The fraction of the work that is done, from 0 to 1; negative when unknown. Never blocks.
  void show(double part) { part_.store(part, std::memory_order_relaxed); }
  /// Passed to the work: shows its progress, and stops it on an interrupt.
  [[nodiscard]] Watch watch();
  /// Removes the bar; to be called before other output.
  void end();

 private:
  void draw_now_and_then(const std::stop_token& stop);
  void draw(double part) const;

  std::string what_;
  double part_at_start_;
  std::chrono::steady_clock::time_point begun_;
  static constexpr double nothing_yet = -2;
  std::atomic<double> part_{nothing_yet};
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::jthread drawer_;  // only where there is a terminal
};

}  // namespace tactus::cli
