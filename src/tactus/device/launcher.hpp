// A thread that makes calls for the engine's thread, one after the other, in the order in which they are
// handed over.
//
// Each call has a slot:
//
//   free --hand_over--> waiting --(the thread)--> calling --(the thread)--> made --give_back--> free
//                          \--withdraw--> withdrawn --(the thread)--> free
//
// The engine's thread never waits, locks or allocates here. A call belongs to the thread while it is made,
// and to the engine before and after. What a call throws is kept with it.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "tactus/base/ring.hpp"
#include "tactus/base/stopwatch.hpp"
#include "tactus/base/threads.hpp"
#include "tactus/base/time.hpp"
#include "tactus/device/host/doorbell.hpp"

namespace tactus::device {

/// How a call ended.
struct CallResult {
  Duration time{};
  bool failed = false;
  std::array<char, 240> text{};  // of the exception
  std::size_t length = 0;

  [[nodiscard]] std::string_view what() const { return {text.data(), length}; }
  void fail(std::string_view why) noexcept {
    failed = true;
    length = std::min(why.size(), text.size());
    std::memcpy(text.data(), why.data(), length);
  }
};

/// `Call` is copied into its slot and called as `call()`.
template <class Call>
class Launcher {
 public:
  struct Manner {
    bool waits_busily = false;
    std::function<void()> prepare{};  // called by the thread before anything else; must not throw
  };

  /// Room for this many calls at once. FailureError when no thread can be started.
  Launcher(std::size_t capacity, Manner manner)
      : shared_{std::make_shared<Shared>(std::max<std::size_t>(1, capacity))},
        thread_{start_thread([shared = shared_, manner = std::move(manner)] { work(*shared, manner); })} {}
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;
  ~Launcher() {
    if (!thread_.joinable()) return;
    shared_->end();
    thread_.join();
  }

  // For the engine's thread.

  /// The slot of the call; nothing when there is no room.
  std::optional<std::uint32_t> hand_over(const Call& call) noexcept {
    for (std::uint32_t i = 0; i < shared_->slots.size(); ++i) {
      Slot& slot = shared_->slots[i];
      if (slot.state.load(std::memory_order_acquire) != State::free) continue;
      slot.call = call;
      slot.result = {};
      slot.state.store(State::waiting, std::memory_order_relaxed);
      shared_->queue.push(i);  // has room for all slots
      shared_->bell.ring();
      return i;
    }
    return std::nullopt;
  }
  /// A call that has not begun will not be made, and its slot is free soon. False: it has begun.
  bool withdraw(std::uint32_t slot) noexcept {
    State waiting = State::waiting;
    return shared_->slots[slot].state.compare_exchange_strong(waiting, State::withdrawn,
                                                              std::memory_order_acq_rel);
  }
  [[nodiscard]] bool is_made(std::uint32_t slot) const noexcept {
    return shared_->slots[slot].state.load(std::memory_order_acquire) == State::made;
  }
  /// Of a call that is made.
  [[nodiscard]] const Call& call(std::uint32_t slot) const noexcept { return shared_->slots[slot].call; }
  [[nodiscard]] const CallResult& result(std::uint32_t slot) const noexcept {
    return shared_->slots[slot].result;
  }
  /// A call that is made is not needed any more.
  void give_back(std::uint32_t slot) noexcept {
    shared_->slots[slot].state.store(State::free, std::memory_order_release);
  }

  /// Ends the thread; calls that have not begun are not made. False when the current call does not return in
  /// time: then the thread is left behind, and what its call refers to must stay.
  bool end(Duration patience) {
    if (!thread_.joinable()) return true;
    shared_->end();
    const auto limit = std::chrono::steady_clock::now() + patience;
    while (!shared_->has_ended.load(std::memory_order_acquire)) {
      if (std::chrono::steady_clock::now() > limit) {
        thread_.detach();
        return false;
      }
      std::this_thread::sleep_for(std::chrono::microseconds{50});
    }
    thread_.join();
    return true;
  }

 private:
  enum class State : std::uint8_t { free, waiting, calling, made, withdrawn };
  struct alignas(64) Slot {
    std::atomic<State> state{State::free};
    Call call{};
    CallResult result;
  };
  /// Shared with the thread, which may be left behind.
  struct Shared {
    explicit Shared(std::size_t capacity) : slots(capacity), queue{capacity} {}
    void end() noexcept {
      is_ending.store(true, std::memory_order_release);
      bell.ring();
    }

    std::vector<Slot> slots;
    Ring<std::uint32_t> queue;
    host::Doorbell bell;
    std::atomic<bool> is_ending{false};
    std::atomic<bool> has_ended{false};
  };

  static void work(Shared& shared, const Manner& manner) {
    name_this_thread("tactus-launcher");
    if (manner.prepare) manner.prepare();
    for (;;) {
      const std::uint32_t heard = shared.bell.heard();
      if (shared.is_ending.load(std::memory_order_acquire)) break;
      if (const std::uint32_t* next = shared.queue.front()) {
        Slot& slot = shared.slots[*next];
        shared.queue.pop();
        take(slot);
      } else if (manner.waits_busily) {
        shared.bell.watch(heard);
      } else {
        shared.bell.wait(heard);
      }
    }
    shared.has_ended.store(true, std::memory_order_release);
  }

  static void take(Slot& slot) noexcept {
    State waiting = State::waiting;
    if (!slot.state.compare_exchange_strong(waiting, State::calling, std::memory_order_acq_rel)) {
      slot.state.store(State::free, std::memory_order_release);  // it was withdrawn
      return;
    }
    const Stopwatch watch;
    try {
      slot.call();
    } catch (const std::exception& error) {
      slot.result.fail(error.what());
    } catch (...) {
      slot.result.fail("an exception");
    }
    slot.result.time = watch.elapsed();
    slot.state.store(State::made, std::memory_order_release);
  }

  std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

}  // namespace tactus::device
