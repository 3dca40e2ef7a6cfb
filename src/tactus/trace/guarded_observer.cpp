#include "tactus/trace/guarded_observer.hpp"

namespace tactus::trace {

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

}  // namespace

std::vector<GuardedObserver> guard(std::span<Observer* const> observers) {
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

Interests GuardedObserver::interests() const noexcept {
  if (error_) return {};
  try {
    return observer_->interests();
  } catch (...) {
    error_ = std::current_exception();
    return {};
  }
}

std::vector<ObserverFailure> failures_of(std::span<const GuardedObserver> observers) {
  std::vector<ObserverFailure> failures;
  for (std::size_t i = 0; i < observers.size(); ++i) {
    const std::exception_ptr& error = observers[i].error();
    if (error) failures.push_back({.observer = i, .error = error, .what = words_of(error)});
  }
  return failures;
}

}  // namespace tactus::trace
