// Events from a thread that must not wait to one that may.
//
// The real-time thread writes into a ring of fixed size: no lock, no allocation. Another thread reads it and
// tells the observers, which may write files. When the ring is full, events are left out and counted.
// Releases and ends of jobs are few and matter most, so the other kinds leave a quarter of the ring to them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>
#include <variant>
#include <vector>

#include "tactus/base/ring.hpp"
#include "tactus/trace/fanout.hpp"
#include "tactus/trace/guarded_observer.hpp"
#include "tactus/trace/observer.hpp"

namespace tactus::trace {

using AnyEvent =
    std::variant<JobReleased, BlockRan, CopyRan, CpuRan, OperationFinished, JobEnded, EngineAway>;

/// An observer for the real-time thread; what it is told reaches the given observers a little later, from
/// another thread, in the same order.
class Relay final : public Observer {
 public:
  using Observer::on;

  Relay(std::span<Observer* const> observers, std::size_t capacity);
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;
  ~Relay() override { finish(); }

  /// What the observers wanted when it was made.
  [[nodiscard]] Interests interests() const override { return interests_; }
  void on(const JobReleased& event) noexcept override { push_of_job(event); }
  void on(const BlockRan& event) noexcept override { push(event); }
  void on(const CopyRan& event) noexcept override { push(event); }
  void on(const CpuRan& event) noexcept override { push(event); }
  void on(const OperationFinished& event) noexcept override { push(event); }
  void on(const JobEnded& event) noexcept override { push_of_job(event); }
  void on(const EngineAway& event) noexcept override { push(event); }

  /// Everything that was told has reached the observers. Nothing may be told from now on.
  void finish();

  /// Observers that threw, and got nothing from then on. After `finish`.
  [[nodiscard]] std::vector<ObserverFailure> failures() const { return failures_of(guarded_); }

  /// Events that were left out for want of room; how many of them were releases and ends of jobs.
  [[nodiscard]] std::uint64_t lost() const { return lost_.load() + lost_of_jobs_.load(); }
  [[nodiscard]] std::uint64_t lost_of_jobs() const { return lost_of_jobs_.load(); }

 private:
  template <class Event>
  void push(const Event& event) noexcept {
    if (!ring_.push(event, ring_.capacity() / 4)) lost_.fetch_add(1, std::memory_order_relaxed);
  }
  template <class Event>
  void push_of_job(const Event& event) noexcept {
    if (!ring_.push(event)) lost_of_jobs_.fetch_add(1, std::memory_order_relaxed);
  }
  void pass_on();

  std::vector<GuardedObserver> guarded_;
  Fanout fanout_;
  Interests interests_;
  Ring<AnyEvent> ring_;
  std::atomic<std::uint64_t> lost_{0};
  std::atomic<std::uint64_t> lost_of_jobs_{0};
  std::atomic<bool> over_{false};
  std::thread thread_;
};

}  // namespace tactus::trace
