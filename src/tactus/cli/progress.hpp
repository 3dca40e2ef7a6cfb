// A progress bar on stderr, for people only: nothing is drawn when stderr is not a terminal.
#pragma once

#include <chrono>
#include <string>

namespace tactus::cli {

class Progress {
 public:
  /// `part_at_start` was done before: it says nothing about the speed.
  explicit Progress(std::string what, double part_at_start = 0);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  Progress(Progress&&) = delete;
  Progress& operator=(Progress&&) = delete;

  /// The part of the work that is done, from 0 to 1; below 0 when it cannot be told.
  void show(double part);
  /// Takes the bar away, before something else is said.
  void end();

 private:
  std::string what_;
  double part_at_start_;
  bool terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point begun_;
  std::chrono::steady_clock::time_point shown_;
};

}  // namespace tactus::cli
