// Progress and cancellation of a search.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>

namespace tactus {

struct Watch {
  /// The work ends soon after this becomes true (a signal, another thread), with what it has; may be null.
  const std::atomic<bool>* stop = nullptr;
  /// The same at this instant. The result may then depend on the speed of the machine, so only hints and
  /// searches with a limit that the user gives use it.
  std::optional<std::chrono::steady_clock::time_point> until{};
  /// Called now and then with the part that is done, from 0 to 1; below 0 where it cannot be told.
  std::function<void(double part)> progress{};

  [[nodiscard]] bool interrupted() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
  [[nodiscard]] bool stopped() const {
    if (interrupted()) return true;
    return until && std::chrono::steady_clock::now() >= *until;
  }
  void show(double part) const {
    if (progress) progress(part);
  }
};

}  // namespace tactus
