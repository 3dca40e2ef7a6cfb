// Releases by call: any thread asks for a job of a task, the engine's thread takes what was asked for.
//
// Bounded and without a lock. One write into the ring is both the claim of a place and the message in it, so
// a caller that is held up keeps nobody else waiting, and instants in the ring only grow. They grow by at
// least the separation, so a value in the ring also tells which round it belongs to.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>

#include "tactus/base/time.hpp"

namespace tactus::runtime {

class ReleaseCalls {
 public:
  /// Calls that may wait to be taken.
  static constexpr std::uint64_t max_waiting = 256;

  /// The least time from one release to the next.
  explicit ReleaseCalls(Duration separation) : separation_{std::max(separation, nanoseconds(1))} {
    for (std::atomic<std::int64_t>& place : ring_) place.store(nothing);
  }

  /// Any thread. False, and nothing is released, when it comes too early after the call before, when too many
  /// wait, or when it is closed.
  bool ask(Time now) noexcept {
    while (true) {
      std::uint64_t made = made_.load();
      const std::int64_t last = made == 0 ? nothing : place(made - 1).load();
      std::int64_t before = place(made).load();
      if (made_.load() != made) continue;  // what was read may belong to different rounds
      if (before > last) {
        made_.compare_exchange_strong(made, made + 1);  // somebody has claimed it and not counted it yet
        continue;
      }
      if (last != nothing && now < saturating_add(time_at(nanoseconds(last)), separation_)) return false;
      const std::uint64_t taken = taken_.load();
      if (taken > made) continue;  // others were faster than this look at it
      if (made - taken >= max_waiting) return false;
      if (!place(made).compare_exchange_strong(before, in_ns(now))) continue;
      made_.compare_exchange_strong(made, made + 1);
      return true;
    }
  }

  /// The engine's thread: the next call that was not taken yet.
  std::optional<Time> take() noexcept {
    const std::uint64_t taken = taken_.load(std::memory_order_relaxed);
    std::uint64_t made = made_.load();
    if (made == taken) {
      const std::int64_t last = made == 0 ? nothing : place(made - 1).load();
      if (place(made).load() <= last) return std::nullopt;
      made_.compare_exchange_strong(made, made + 1);
    }
    const std::int64_t instant = place(taken).load();
    if (instant == closed) return std::nullopt;
    taken_.store(taken + 1);
    return time_at(nanoseconds(instant));
  }
  /// How many were taken.
  [[nodiscard]] std::uint64_t taken() const noexcept { return taken_.load(std::memory_order_relaxed); }

  /// The engine's thread: no call succeeds from here on. Those before it can still be taken.
  void close() noexcept {
    while (true) {
      std::uint64_t made = made_.load();
      const std::int64_t last = made == 0 ? nothing : place(made - 1).load();
      std::int64_t before = place(made).load();
      if (last == closed || made_.load() != made) {
        if (last == closed) return;
        continue;
      }
      if (before <= last && !place(made).compare_exchange_strong(before, closed)) continue;
      made_.compare_exchange_strong(made, made + 1);
    }
  }

 private:
  static constexpr std::int64_t nothing = -1;
  static constexpr std::int64_t closed = std::numeric_limits<std::int64_t>::max();

  std::atomic<std::int64_t>& place(std::uint64_t number) { return ring_[number % ring_.size()]; }

  Duration separation_;
  std::array<std::atomic<std::int64_t>, max_waiting + 1> ring_;  // one more for the mark that it is closed
  std::atomic<std::uint64_t> made_{0};
  std::atomic<std::uint64_t> taken_{0};
};

}  // namespace tactus::runtime
