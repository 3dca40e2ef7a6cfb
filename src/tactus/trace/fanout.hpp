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
      if (interests.releases) listeners<JobReleased>().push_back(observer);
      if (interests.blocks) listeners<BlockRan>().push_back(observer);
      if (interests.copies) listeners<CopyRan>().push_back(observer);
      if (interests.cpus) listeners<CpuRan>().push_back(observer);
      if (interests.operations) listeners<OperationFinished>().push_back(observer);
      if (interests.ends) listeners<JobEnded>().push_back(observer);
      if (interests.absences) listeners<EngineAway>().push_back(observer);
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
  struct Listeners : std::vector<Observer*> {};

  template <class Event>
  Listeners<Event>& listeners() {
    return std::get<Listeners<Event>>(lists_);
  }

  std::vector<Observer*> observers_;
  std::tuple<Listeners<JobReleased>, Listeners<BlockRan>, Listeners<CopyRan>, Listeners<CpuRan>,
             Listeners<OperationFinished>, Listeners<JobEnded>, Listeners<EngineAway>>
      lists_;
};

}  // namespace tactus::trace
