// Uses the CUDA part of the installed library.
#include <exception>
#include <iostream>

#include "tactus/device/cuda/query.hpp"

int main() {
  try {
    for (const auto& device : tactus::cuda::query_platforms()) {
      std::cout << device.name << " has " << device.platform.gpu.sms << " SMs\n";
    }
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
