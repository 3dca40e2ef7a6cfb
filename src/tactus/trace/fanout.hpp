// Distributes events to observers.
#pragma once

#include <span>
#include <tuple>
#include <vector>

#include "tactus/trace/observer.hpp"

namespace tactus::trace {

/// Sends each event to the observers that asked for its kind.
class Fanout {
 public:
  explicit Fanout(std::span<Observer* const> observers) : observers_{observers.begin(), observers.end()} {
    ask();
  }

  /// Observers may lose interest while a schedule goes on.
  void ask() {
    std::apply([](auto&... list) { (list.clear(), ...); }, lists_);
    for (Observer* observer : observers_) {
      const Interests interests = observer->interests();
      std::apply([&](auto&... list) { (list.add(observer, interests), ...); }, lists_);
    }
  }

  template <class Event>
  [[nodiscard]] bool wants() const {
    return !std::get<Listeners<Event>>(lists_).empty();
  }

  template <class Event>
  void tell(const Event& event) const {
    for (Observer* observer : std::get<Listeners<Event>>(lists_)) observer->on(event);
  }

 private:
  /// A list for each kind of event.
  template <class Event>
  struct Listeners : std::vector<Observer*> {
    void add(Observer* observer, const Interests& interests) {
      if (interests.*Event::kind) this->push_back(observer);
    }
  };

  std::vector<Observer*> observers_;
  std::tuple<Listeners<JobReleased>, Listeners<BlockRan>, Listeners<CopyRan>, Listeners<CpuRan>,
             Listeners<OperationFinished>, Listeners<JobEnded>, Listeners<EngineAway>>
      lists_;
};

}  // namespace tactus::trace
