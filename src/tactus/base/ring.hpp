// A bounded queue from one thread to one other, without locks.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <vector>

namespace tactus {

template <class Item>
class Ring {
 public:
  /// Room for at least `capacity` items.
  explicit Ring(std::size_t capacity) : items_(std::bit_ceil(capacity < 2 ? std::size_t{2} : capacity)) {}

  /// The writer's. False when it would leave less room than that.
  bool push(const Item& item, std::size_t left_free = 0) noexcept {
    const std::size_t end = end_.load(std::memory_order_relaxed);
    if (end - begin_.load(std::memory_order_acquire) + left_free >= items_.size()) return false;
    items_[end & (items_.size() - 1)] = item;
    end_.store(end + 1, std::memory_order_release);
    return true;
  }
  [[nodiscard]] std::size_t room() const noexcept {
    return items_.size() - (end_.load(std::memory_order_relaxed) - begin_.load(std::memory_order_acquire));
  }

  /// The reader's. The oldest item, null when there is none; it stays until `pop`.
  [[nodiscard]] const Item* front() const noexcept {
    const std::size_t begin = begin_.load(std::memory_order_relaxed);
    return begin == end_.load(std::memory_order_acquire) ? nullptr : &items_[begin & (items_.size() - 1)];
  }
  void pop() noexcept { begin_.store(begin_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }
  [[nodiscard]] std::size_t size() const noexcept {
    return end_.load(std::memory_order_acquire) - begin_.load(std::memory_order_relaxed);
  }

  [[nodiscard]] std::size_t capacity() const { return items_.size(); }

 private:
  std::vector<Item> items_;
  alignas(64) std::atomic<std::size_t> begin_{0};
  alignas(64) std::atomic<std::size_t> end_{0};
};

}  // namespace tactus
