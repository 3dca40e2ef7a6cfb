// Who only watches must not end what it watches: an observer that throws is left alone.
#pragma once

#include <exception>
#include <span>
#include <vector>

#include "tactus/trace/observer.hpp"

namespace tactus::trace {

/// Passes events on until its observer throws; from then on that one is left alone. The thread that tells
/// has nobody to whom it could hand the exception, and who only watches must not end what it watches.
class GuardedObserver final : public Observer {
 public:
  explicit GuardedObserver(Observer& observer) : observer_{&observer} {}

  [[nodiscard]] Interests interests() const noexcept override;
  void on(const JobReleased& event) noexcept override { pass(event); }
  void on(const BlockRan& event) noexcept override { pass(event); }
  void on(const CopyRan& event) noexcept override { pass(event); }
  void on(const CpuRan& event) noexcept override { pass(event); }
  void on(const OperationFinished& event) noexcept override { pass(event); }
  void on(const JobEnded& event) noexcept override { pass(event); }
  void on(const EngineAway& event) noexcept override { pass(event); }

  /// Null when nothing was thrown.
  [[nodiscard]] const std::exception_ptr& error() const { return error_; }

 private:
  template <class Event>
  void pass(const Event& event) noexcept {
    if (error_) return;
    try {
      observer_->on(event);
    } catch (...) {
      error_ = std::current_exception();
    }
  }

  Observer* observer_;
  mutable std::exception_ptr error_;  // asking for interests may throw, too
};

std::vector<GuardedObserver> guard(std::span<Observer* const> observers);
/// For a Fanout. The guards stay where they are.
std::vector<Observer*> pointers_to(std::vector<GuardedObserver>& observers);
/// Those that threw.
std::vector<ObserverFailure> failures_of(std::span<const GuardedObserver> observers);

}  // namespace tactus::trace
