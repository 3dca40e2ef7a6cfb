// Runs that end when enough has happened, however slow the machine is.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "tactus/runtime/runtime.hpp"

namespace tactus::test {

/// Ends the run soon after the condition holds, which another thread looks at; after a minute in any case.
inline RunReport run_until(Runtime& runtime, const std::function<bool()>& is_enough) {
  std::atomic<bool> is_over = false;
  std::thread watcher{[&] {
    while (!is_over && !is_enough()) std::this_thread::sleep_for(std::chrono::milliseconds{1});
    if (!is_over) runtime.stop();
  }};
  RunReport report = runtime.run_for(std::chrono::seconds{60});
  is_over = true;
  watcher.join();
  return report;
}

/// ... after so many jobs of the first task have completed, and so many were turned away.
inline RunReport run_until_completed(Runtime& runtime, std::uint64_t completed, std::uint64_t full = 0) {
  return run_until(runtime, [&runtime, completed, full] {
    const std::vector<trace::TaskStatistics> tasks = runtime.statistics();
    return !tasks.empty() && tasks[0].completed >= completed && tasks[0].full >= full;
  });
}

}  // namespace tactus::test
