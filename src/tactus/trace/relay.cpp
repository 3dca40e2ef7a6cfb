#include "tactus/trace/relay.hpp"

#include <chrono>

#include "tactus/base/threads.hpp"

namespace tactus::trace {

Relay::Relay(std::span<Observer* const> observers, std::size_t capacity)
    : guarded_{guard(observers)}, fanout_{pointers_to(guarded_)}, ring_{capacity} {
  for (const GuardedObserver& observer : guarded_) {
    const Interests wanted = observer.interests();
    for (const auto kind : kinds_of_events) interests_.*kind = interests_.*kind || wanted.*kind;
  }
  thread_ = start_thread([this] { pass_on(); });
}

void Relay::pass_on() {
  constexpr std::uint64_t events_between_looks = 4096;
  constexpr std::chrono::milliseconds nap{1};
  std::uint64_t passed = 0;
  while (true) {
    // Read before the ring is found empty: what was told before the end is still passed on.
    const bool over = over_.load(std::memory_order_acquire);
    while (const AnyEvent* oldest = ring_.front()) {
      const AnyEvent event = *oldest;
      ring_.pop();  // observers may take their time: its place is free meanwhile
      std::visit([this](const auto& one) { fanout_.tell(one); }, event);
      if (++passed % events_between_looks == 0) fanout_.ask();
    }
    if (over) return;
    std::this_thread::sleep_for(nap);
  }
}

void Relay::finish() {
  if (!thread_.joinable()) return;
  over_.store(true, std::memory_order_release);
  thread_.join();
}

}  // namespace tactus::trace
