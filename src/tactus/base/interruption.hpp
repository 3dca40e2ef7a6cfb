// The wish that this process comes to its end, for waits that could last for ever: a pipe without a reader.
#pragma once

#include <atomic>
#include <stdexcept>

namespace tactus {

/// From now on such waits look at this flag; null: at none. It must outlive its use here.
void heed_interruptions(const std::atomic<bool>* wished);

[[nodiscard]] bool is_interruption_wished();

/// A wait was given up because of it. Exit status 130.
class InterruptedError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace tactus
