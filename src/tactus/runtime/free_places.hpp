// Places of a task's jobs for which callers of `release` wait (`on_full: block`).
//
// A caller takes a place before it releases a job; the engine gives it back when the job has left it. The
// engine never waits here: it adds to a number, and wakes a caller only if there is one.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

namespace tactus::runtime {

class FreePlaces {
 public:
  explicit FreePlaces(std::uint32_t places) : free_{static_cast<std::int32_t>(places)} {}

  /// Any thread: takes a place. Waits for it if that is allowed. False when there is none, and after `close`.
  bool take(bool may_wait) noexcept {
    std::int32_t free = free_.load();
    while (free >= 0) {
      if (free > 0) {
        if (free_.compare_exchange_weak(free, free - 1)) return true;
      } else {
        if (!may_wait) return false;
        free_.wait(0);
        free = free_.load();
      }
    }
    return false;
  }
  void give_back() noexcept {
    free_.fetch_add(1);
    free_.notify_one();
  }
  /// Nobody waits any more, or gets a place.
  void close() noexcept {
    free_.store(closed);
    free_.notify_all();
  }

 private:
  /// So far below 0 that places which are given back do not change it.
  static constexpr std::int32_t closed = std::numeric_limits<std::int32_t>::min();

  std::atomic<std::int32_t> free_;
};

}  // namespace tactus::runtime
