// The first failure, stored without allocating.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace tactus::cuda {

class FailureNote {
 public:
  /// Later failures are ignored.
  void keep(std::string_view task, std::uint64_t job, std::uint32_t segment, std::string_view what);
  /// "task 'x', job 3, segment 0: <what>"; empty when there was no failure.
  [[nodiscard]] std::string text() const { return std::string{text_.data(), length_}; }
  [[nodiscard]] bool empty() const { return length_ == 0; }

 private:
  std::array<char, 512> text_{};
  std::size_t length_ = 0;
};

}  // namespace tactus::cuda
