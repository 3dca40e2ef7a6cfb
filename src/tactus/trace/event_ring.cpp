#include "tactus/trace/event_ring.hpp"

#include <bit>
#include <chrono>

#include "tactus/base/threads.hpp"

namespace tactus::trace {

EventRing::EventRing(std::size_t capacity)
    : events_(std::bit_ceil(std::max<std::size_t>(capacity, 2))), mask_{events_.size() - 1} {}

bool EventRing::push(const AnyEvent& event, std::size_t left_free) {
  const std::uint64_t written = written_.load(std::memory_order_relaxed);
  if (written - read_.load(std::memory_order_acquire) + left_free >= events_.size()) return false;
  events_[written & mask_] = event;
  written_.store(written + 1, std::memory_order_release);
  return true;
}

bool EventRing::pop(AnyEvent& event) {
  const std::uint64_t read = read_.load(std::memory_order_relaxed);
  if (read == written_.load(std::memory_order_acquire)) return false;
  event = events_[read & mask_];
  read_.store(read + 1, std::memory_order_release);
  return true;
}

namespace {

std::string words_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& known) {
    return known.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

std::vector<GuardedObserver> guards_of(std::span<Observer* const> observers) {
  std::vector<GuardedObserver> guarded;
  guarded.reserve(observers.size());
  for (Observer* observer : observers) guarded.emplace_back(*observer);
  return guarded;
}

std::vector<Observer*> pointers_to(std::vector<GuardedObserver>& observers) {
  std::vector<Observer*> pointers;
  pointers.reserve(observers.size());
  for (GuardedObserver& observer : observers) pointers.push_back(&observer);
  return pointers;
}

}  // namespace

Interests GuardedObserver::interests() const {
  if (error_) return {};
  try {
    return observer_->interests();
  } catch (...) {
    error_ = std::current_exception();
    return {};
  }
}

Relay::Relay(std::span<Observer* const> observers, std::size_t capacity)
    : guarded_{guards_of(observers)}, fanout_{pointers_to(guarded_)}, ring_{capacity} {
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
    // Read before checking that the ring is empty, so that events from before the end are still passed on.
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

std::vector<ObserverFailure> Relay::failures() const {
  std::vector<ObserverFailure> failures;
  for (std::size_t i = 0; i < guarded_.size(); ++i) {
    const std::exception_ptr& error = guarded_[i].error();
    if (error) failures.push_back({.observer = i, .error = error, .what = words_of(error)});
  }
  return failures;
}

}  // namespace tactus::trace
