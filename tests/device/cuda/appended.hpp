// A list to which kernels of a test append.
#pragma once

#include <cstddef>
#include <vector>

#include "device/cuda/gpu_test.hpp"
#include "device/cuda/test_kernels.hpp"

namespace tactus::cuda {

class Appended {
 public:
  explicit Appended(std::size_t room) : values_{room}, count_{1} {}

  [[nodiscard]] AppendedList list() const {
    return {.values = values_.data(), .count = count_.data(), .room = static_cast<unsigned>(values_.size())};
  }
  /// In the order of time.
  [[nodiscard]] std::vector<unsigned> all() const {
    std::vector<unsigned> values = read_back(values_);
    values.resize(std::min<std::size_t>(values.size(), read_back(count_).front()));
    return values;
  }

 private:
  DeviceBuffer<unsigned> values_;
  DeviceBuffer<unsigned> count_;
};

}  // namespace tactus::cuda
