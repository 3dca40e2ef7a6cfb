// Releases by call: any thread requests a job of a task, the engine's thread takes the requests.
//
// Bounded and lock-free. A single write into the ring claims a place and stores the request, so a delayed
// caller does not block others. Instants in the ring increase by at least the separation, so a value also
// identifies its round.
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
  /// Requests that may wait to be taken.
  static constexpr std::uint64_t max_waiting = 256;

  /// `separation`: the minimum time between two releases.
  explicit ReleaseCalls(Duration separation) : separation_{std::max(separation, nanoseconds(1))} {
    for (std::atomic<std::int64_t>& place : ring_) place.store(nothing);
  }

  /// Any thread may call this. False, and nothing is released, before the first instant of the run, when the
  /// separation has not passed since the previous request, when too many requests wait, or after `close`.
  bool ask(Time now) noexcept {
    if (now < origin) return false;  // and the ring takes smaller values for marks
    while (true) {
      std::uint64_t made = made_.load();
      const std::int64_t last = made == 0 ? nothing : place(made - 1).load();
      std::int64_t before = place(made).load();
      if (made_.load() != made) continue;  // the values read may belong to different rounds
      if (before > last) {
        made_.compare_exchange_strong(made, made + 1);  // another thread has claimed it but not counted it
        continue;
      }
      if (last != nothing && now < saturating_add(time_at(nanoseconds(last)), separation_)) return false;
      const std::uint64_t taken = taken_.load();
      if (taken > made) continue;  // other threads have moved on since `made` was read
      if (made - taken >= max_waiting) return false;
      if (!place(made).compare_exchange_strong(before, in_ns(now))) continue;
      made_.compare_exchange_strong(made, made + 1);
      return true;
    }
  }

  /// Engine's thread only: the next request.
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
  /// The number of requests taken so far.
  [[nodiscard]] std::uint64_t taken() const noexcept { return taken_.load(std::memory_order_relaxed); }

  /// Engine's thread only: every later request fails. Earlier ones can still be taken.
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
  std::array<std::atomic<std::int64_t>, max_waiting + 1> ring_;  // one more for the mark of `close`
  std::atomic<std::uint64_t> made_{0};
  std::atomic<std::uint64_t> taken_{0};
};

}  // namespace tactus::runtime
