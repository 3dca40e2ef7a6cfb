// The interface of statistics, tables and exporters, which observe the event stream.
#pragma once

#include <cstddef>
#include <exception>
#include <string>

#include "tactus/trace/event.hpp"

namespace tactus::trace {

class Observer {
 public:
  Observer() = default;
  Observer(const Observer&) = default;
  Observer& operator=(const Observer&) = default;
  Observer(Observer&&) = default;
  Observer& operator=(Observer&&) = default;
  virtual ~Observer() = default;

  [[nodiscard]] virtual Interests interests() const = 0;

  virtual void on(const JobReleased& /*event*/) {}
  virtual void on(const BlockRan& /*event*/) {}
  virtual void on(const CopyRan& /*event*/) {}
  virtual void on(const CpuRan& /*event*/) {}
  virtual void on(const OperationFinished& /*event*/) {}
  virtual void on(const JobEnded& /*event*/) {}
  virtual void on(const EngineAway& /*event*/) {}
};

/// What an observer threw.
struct ObserverFailure {
  std::size_t observer = 0;  // in the order in which they were given
  std::exception_ptr error;
  std::string what;
};

}  // namespace tactus::trace
