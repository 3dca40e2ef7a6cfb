// Uses the CUDA part of the installed library.
#include <chrono>
#include <exception>
#include <iostream>
#include <vector>

#include <tactus/cuda/device.hpp>
#include <tactus/cuda/job.hpp>
#include <tactus/cuda/measure.hpp>

int main() {
  try {
    for (const auto& device : tactus::cuda::query_platforms()) {
      std::cout << device.name << " has " << device.platform.gpu.sms << " SMs\n";
    }
    using namespace std::chrono_literals;
    const std::vector<tactus::measure::WorkTime> times{{1, 80us, 100us}, {2, 45us, 60us}};
    std::cout << tactus::to_segment_entry(tactus::measure::fit_work(times)) << "\n";
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
