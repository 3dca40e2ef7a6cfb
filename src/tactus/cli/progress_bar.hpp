// A progress bar on stderr, for people only: nothing is drawn when stderr is not a terminal.
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

/// A thread of its own draws: a terminal that does not take its text for a while must not hold up the work.
class ProgressBar {
 public:
  /// `part_at_start` was done before: it says nothing about the speed.
  explicit ProgressBar(const std::string& what, double part_at_start = 0);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ProgressBar(ProgressBar&&) = delete;
  ProgressBar& operator=(ProgressBar&&) = delete;

  /// The part of the work that is done, from 0 to 1; below 0 when it cannot be told. Never waits.
  void show(double part) { part_.store(part, std::memory_order_relaxed); }
  /// For the work: shows how far it is, and stops it when the user wishes.
  [[nodiscard]] Watch watch();
  /// Takes the bar away for good, before something else is said.
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
