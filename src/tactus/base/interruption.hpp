// The request to end this process, for waits that could last for ever, such as on a pipe without a reader.
#pragma once

#include <atomic>
#include <stdexcept>

namespace tactus {

/// From now on such waits check this flag; null: none. It must outlive them.
void heed_interruptions(const std::atomic<bool>* wished);

[[nodiscard]] bool is_interruption_wished();

/// Such a request ended a wait. Exit status 130.
class InterruptedError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace tactus
