// Device memory, and host memory that the device can access. Freed with its owner.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace tactus::cuda {

namespace detail {

void* allocate_device(std::size_t bytes);
void* allocate_pinned(std::size_t bytes);
struct FreeDevice {
  void operator()(void* memory) const noexcept;
};
struct FreePinned {
  void operator()(void* memory) const noexcept;
};

}  // namespace detail

/// `count` values in the memory of the current device, all bytes zero.
template <class Value>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::size_t count)
      : memory_{detail::allocate_device(count * sizeof(Value))}, count_{count} {}

  [[nodiscard]] Value* data() const { return static_cast<Value*>(memory_.get()); }
  [[nodiscard]] std::size_t size() const { return count_; }

 private:
  std::unique_ptr<void, detail::FreeDevice> memory_;
  std::size_t count_ = 0;
};

/// `count` values in pinned host memory, all bytes zero. The device uses the same address.
template <class Value>
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  explicit PinnedBuffer(std::size_t count)
      : memory_{detail::allocate_pinned(count * sizeof(Value))}, count_{count} {}

  [[nodiscard]] Value* data() const { return static_cast<Value*>(memory_.get()); }
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] std::span<Value> values() const { return {data(), count_}; }

 private:
  std::unique_ptr<void, detail::FreePinned> memory_;
  std::size_t count_ = 0;
};

}  // namespace tactus::cuda
