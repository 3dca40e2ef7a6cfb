// The first failure, stored without allocating.
#pragma once

#include <array>
#include <atomic>
#include <string>
#include <string_view>

#include "tactus/device/device.hpp"

namespace tactus::device {

class FailureNote {
 public:
  /// Later failures are ignored.
  void keep(const System& system, const Request& request, std::string_view what);
  /// "task 'x', job 3, segment 0: <what>"; empty when there was no failure. Any thread may call this.
  [[nodiscard]] std::string text() const { return {text_.data(), length_.load(std::memory_order_acquire)}; }

 private:
  std::array<char, 512> text_{};
  std::atomic<std::size_t> length_{0};
};

}  // namespace tactus::device
