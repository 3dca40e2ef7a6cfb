// Why a run ends: the first reason counts.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "tactus/device/device.hpp"
#include "tactus/runtime/outcome.hpp"

namespace tactus::runtime {

class Ending {
 public:
  [[nodiscard]] bool has_come() const noexcept { return why_.has_value(); }
  void come(RunEnd why) noexcept {
    if (!why_) why_ = why;
  }
  /// A completion never came.
  void lose(std::string what) {
    come(RunEnd::lost);
    failure_ = std::move(what);
  }
  /// The device broke off an operation.
  void fail(const device::Device& device) {
    come(RunEnd::failed);
    if (failure_.empty()) failure_ = device.failure();
    if (failure_.empty()) failure_ = "the device broke off an operation";
  }
  /// Some failures show only when the device closes. They turn a run that went well so far into a failed one.
  void close(const device::Device& device) {
    const std::string failure = device.failure();
    if (why_ == RunEnd::lost) {
      if (!failure.empty()) failure_ += "; the device says: " + failure;
      return;
    }
    if (failure_.empty()) failure_ = failure;
    if (!failure_.empty()) why_ = RunEnd::failed;
  }

  [[nodiscard]] RunEnd why() const noexcept { return why_.value_or(RunEnd::horizon); }
  /// A message for users; empty when nothing failed.
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }

 private:
  std::optional<RunEnd> why_;
  std::string failure_;
};

}  // namespace tactus::runtime
