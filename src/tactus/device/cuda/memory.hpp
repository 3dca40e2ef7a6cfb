// Device memory, and host memory that the device can access. Freed with its owner.
#pragma once

#include <concepts>
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

/// `count` values that one of the functions above has allocated.
template <class Value, auto allocate, class Free>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t count) : memory_{allocate(count * sizeof(Value))}, count_{count} {}

  [[nodiscard]] Value* data() const { return static_cast<Value*>(memory_.get()); }
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] std::span<Value> values() const requires std::same_as<Free, FreePinned> {
    return {data(), count_};
  }

 private:
  std::unique_ptr<void, Free> memory_;
  std::size_t count_ = 0;
};

}  // namespace detail

/// Values in the memory of the current device, all bytes zero.
template <class Value>
using DeviceBuffer = detail::Buffer<Value, &detail::allocate_device, detail::FreeDevice>;

/// Values in pinned host memory, all bytes zero. The device uses the same address.
template <class Value>
using PinnedBuffer = detail::Buffer<Value, &detail::allocate_pinned, detail::FreePinned>;

}  // namespace tactus::cuda
