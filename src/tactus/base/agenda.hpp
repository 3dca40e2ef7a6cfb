// A queue of future events, ordered by time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/base/touch.hpp"

namespace tactus {

/// Earliest first, in the order of insertion at one instant.
template <class Item>
class Agenda {
 public:
  /// Reserves memory, so that adding that many entries allocates nothing. Only while the queue is empty.
  void reserve(std::size_t items) {
    std::vector<Entry> room;
    reserve_touched(room, items);
    queue_ = std::priority_queue<Entry>{std::less<Entry>{}, std::move(room)};
  }
  void add(Time when, const Item& item) {
    queue_.push({when, ++added_, item});
    next_ = queue_.top().when;
  }
  /// `never` when the queue is empty.
  [[nodiscard]] Time next() const { return next_; }
  [[nodiscard]] std::size_t size() const { return queue_.size(); }
  [[nodiscard]] const Item& first() const { return queue_.top().item; }
  Item take() {
    const Item item = queue_.top().item;
    queue_.pop();
    next_ = queue_.empty() ? never : queue_.top().when;
    return item;
  }

 private:
  struct Entry {
    Time when{};
    std::uint64_t order = 0;
    Item item;
    bool operator<(const Entry& other) const {
      return std::tie(other.when, other.order) < std::tie(when, order);
    }
  };
  std::priority_queue<Entry> queue_;
  Time next_ = never;  // kept here because it is asked for at every instant
  std::uint64_t added_ = 0;
};

}  // namespace tactus
