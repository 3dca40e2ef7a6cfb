// Passes events from a thread that must not wait to one that may.
//
// The real-time thread writes into a ring of fixed size: no lock, no allocation. Another thread reads it and
// calls the observers, which may write files. When the ring is full, events are dropped and counted.
// Releases and ends of jobs are few and matter most, so the other kinds leave a quarter of the ring to them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "tactus/trace/fanout.hpp"
#include "tactus/trace/observer.hpp"

namespace tactus::trace {

using AnyEvent =
    std::variant<JobReleased, BlockRan, CopyRan, CpuRan, OperationFinished, JobEnded, EngineAway>;

/// One writer, one reader.
class EventRing {
 public:
  /// Rounded up to a power of two.
  explicit EventRing(std::size_t capacity);

  /// False when less than that would stay free.
  bool push(const AnyEvent& event, std::size_t left_free = 0);
  /// False when it is empty.
  bool pop(AnyEvent& event);
  [[nodiscard]] std::size_t capacity() const { return events_.size(); }

 private:
  std::vector<AnyEvent> events_;
  std::size_t mask_;
  alignas(64) std::atomic<std::uint64_t> written_{0};
  alignas(64) std::atomic<std::uint64_t> read_{0};
};

/// What an observer threw.
struct ObserverFailure {
  std::size_t observer = 0;  // in the order in which they were given
  std::exception_ptr error;
  std::string what;
};

/// Passes events on until its observer throws; from then on the observer gets nothing. The reader thread
/// has no caller for the exception, and an observer must not end the run that it observes.
class GuardedObserver final : public Observer {
 public:
  explicit GuardedObserver(Observer& observer) : observer_{&observer} {}

  [[nodiscard]] Interests interests() const override;
  void on(const JobReleased& event) override { pass(event); }
  void on(const BlockRan& event) override { pass(event); }
  void on(const CopyRan& event) override { pass(event); }
  void on(const CpuRan& event) override { pass(event); }
  void on(const OperationFinished& event) override { pass(event); }
  void on(const JobEnded& event) override { pass(event); }
  void on(const EngineAway& event) override { pass(event); }

  /// Null when nothing was thrown.
  [[nodiscard]] const std::exception_ptr& error() const { return error_; }

 private:
  template <class Event>
  void pass(const Event& event) {
    if (error_) return;
    try {
      observer_->on(event);
    } catch (...) {
      error_ = std::current_exception();
    }
  }

  Observer* observer_;
  mutable std::exception_ptr error_;  // `interests` may throw, too
};

/// An observer for the real-time thread; its events reach the given observers a little later, from
/// another thread, in the same order.
class Relay final : public Observer {
 public:
  using Observer::on;

  Relay(std::span<Observer* const> observers, std::size_t capacity);
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;
  Relay(Relay&&) = delete;
  Relay& operator=(Relay&&) = delete;
  ~Relay() override { finish(); }

  /// The interests of the observers at construction.
  [[nodiscard]] Interests interests() const override { return interests_; }
  void on(const JobReleased& event) override { push_of_job(event); }
  void on(const BlockRan& event) override { push(event); }
  void on(const CopyRan& event) override { push(event); }
  void on(const CpuRan& event) override { push(event); }
  void on(const OperationFinished& event) override { push(event); }
  void on(const JobEnded& event) override { push_of_job(event); }
  void on(const EngineAway& event) override { push(event); }

  /// Waits until all events have reached the observers. No event may follow.
  void finish();

  /// The observers that threw. To be called after `finish`.
  [[nodiscard]] std::vector<ObserverFailure> failures() const;

  /// Events that were dropped because the ring was full; how many of them were releases and ends of jobs.
  [[nodiscard]] std::uint64_t lost() const { return lost_.load() + lost_of_jobs_.load(); }
  [[nodiscard]] std::uint64_t lost_of_jobs() const { return lost_of_jobs_.load(); }

 private:
  template <class Event>
  void push(const Event& event) {
    if (!ring_.push(event, ring_.capacity() / 4)) lost_.fetch_add(1, std::memory_order_relaxed);
  }
  template <class Event>
  void push_of_job(const Event& event) {
    if (!ring_.push(event)) lost_of_jobs_.fetch_add(1, std::memory_order_relaxed);
  }
  void pass_on();

  std::vector<GuardedObserver> guarded_;
  Fanout fanout_;
  Interests interests_;
  EventRing ring_;
  std::atomic<std::uint64_t> lost_{0};
  std::atomic<std::uint64_t> lost_of_jobs_{0};
  std::atomic<bool> over_{false};
  std::thread thread_;
};

}  // namespace tactus::trace
