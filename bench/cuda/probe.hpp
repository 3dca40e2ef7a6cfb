// Shared by the sections of the probe: samples and output.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace tactus::probe {

inline double now_us() {
  using namespace std::chrono;
  return duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}

/// One line of JSON: section, what, unit, median, p99, p99.9, max and count. Percentiles are nearest rank.
void print_samples(const std::string& section, const std::string& what, std::vector<double> samples,
                   const char* unit = "us");
/// One line of JSON with a single number.
void print_value(const std::string& section, const std::string& what, double value, const char* unit);
/// One line of JSON with a text.
void print_text(const std::string& section, const std::string& what, const std::string& text);

/// Waits without a system call.
inline void spin_us(double duration) {
  const double end = now_us() + duration;
  while (now_us() < end) {
  }
}

void measure_launches();
void measure_partitions();
void measure_stops();
void check_exactly_once();
void measure_throughput();
void measure_pinning();
void measure_copies();
void measure_builtin_kernels();

}  // namespace tactus::probe
