// The report of both example programs.
#pragma once

#include <chrono>
#include <cstdio>
#include <tactus/runtime.hpp>

namespace example {

inline double milliseconds(tactus::Duration time) {
  return std::chrono::duration<double, std::milli>{time}.count();
}

/// Prints observed response times beside proven bounds. Returns the exit status: 3 when the run failed. A
/// deadline that this machine missed is no failure of the example.
inline int print_report(const tactus::RunReport& report) {
  for (std::size_t i = 0; i < report.tasks.size(); ++i) {
    const auto& task = report.tasks[i];
    std::printf("%-10s %6llu jobs, longest response %.3f ms", report.system.tasks[i].name.c_str(),
                static_cast<unsigned long long>(task.completed),
                task.response ? milliseconds(task.response->max) : 0.0);
    if (report.bounds[i]) std::printf(", proven %.3f ms", milliseconds(*report.bounds[i]));
    std::printf("\n");
  }
  for (const std::string& what : report.outcome.not_enforced) {
    std::printf("not enforced: %s\n", what.c_str());
  }
  if (report.outcome.failure.empty()) return 0;
  std::printf("failed: %s\n", report.outcome.failure.c_str());
  return 3;
}

}  // namespace example
