// A progress bar on stderr, for people only: nothing is drawn when stderr is not a terminal.
#pragma once

#include <chrono>
#include <string>

namespace tactus::cli {

class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  Progress(Progress&&) = delete;
  Progress& operator=(Progress&&) = delete;

  /// The part of the work that is done, from 0 to 1; below 0 when it cannot be told.
  void show(double part);

 private:
  void clear();

  std::string what_;
  bool terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point begun_;
  std::chrono::steady_clock::time_point shown_;
};

}  // namespace tactus::cli
