#include "tactus/base/interruption.hpp"

namespace tactus {

namespace {

std::atomic<const std::atomic<bool>*> flag{nullptr};

}  // namespace

void heed_interruptions(const std::atomic<bool>* wished) { flag.store(wished); }

bool is_interruption_wished() {
  const std::atomic<bool>* wished = flag.load();
  return wished != nullptr && wished->load(std::memory_order_relaxed);
}

}  // namespace tactus
