#include "tactus/trace/event_ring.hpp"

#include <bit>
#include <chrono>

#include "tactus/base/threads.hpp"

namespace tactus::trace {

EventRing::EventRing(std::size_t capacity)
    : events_(std::bit_ceil(std::max<std::size_t>(capacity, 2))), mask_{events_.size() - 1} {}

bool EventRing::push(const AnyEvent& event, std::size_t left_free) noexcept {
  const std::uint64_t written = written_.load(std::memory_order_relaxed);
  if (written - read_.load(std::memory_order_acquire) + left_free >= events_.size()) return false;
  events_[written & mask_] = event;
  written_.store(written + 1, std::memory_order_release);
  return true;
}

bool EventRing::pop(AnyEvent& event) noexcept {
  const std::uint64_t read = read_.load(std::memory_order_relaxed);
  if (read == written_.load(std::memory_order_acquire)) return false;
  event = events_[read & mask_];
  read_.store(read + 1, std::memory_order_release);
  return true;
}

Relay::Relay(std::span<Observer* const> observers, std::size_t capacity)
    : guarded_{guard(observers)}, fanout_{pointers_to(guarded_)}, ring_{capacity} {
  for (const GuardedObserver& observer : guarded_) {
    const Interests wanted = observer.interests();
    interests_.releases = interests_.releases || wanted.releases;
    interests_.blocks = interests_.blocks || wanted.blocks;
    interests_.copies = interests_.copies || wanted.copies;
    interests_.cpus = interests_.cpus || wanted.cpus;
    interests_.operations = interests_.operations || wanted.operations;
    interests_.ends = interests_.ends || wanted.ends;
    interests_.absences = interests_.absences || wanted.absences;
  }
  thread_ = start_thread([this] { pass_on(); });
}

void Relay::pass_on() {
  constexpr std::uint64_t events_between_looks = 4096;
  constexpr std::chrono::milliseconds nap{1};
  AnyEvent event;
  std::uint64_t passed = 0;
  while (true) {
    // Read before the ring is found empty: what was told before the end is still passed on.
    const bool over = over_.load(std::memory_order_acquire);
    while (ring_.pop(event)) {
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
