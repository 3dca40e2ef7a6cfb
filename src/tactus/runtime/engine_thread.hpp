// The settings of the engine's thread during a run: core, real-time class or nice value, timer slack,
// locked memory. All but the memory lock are restored afterwards.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tactus/machine/machine.hpp"
#include "tactus/machine/thread_settings.hpp"

namespace tactus::runtime {

struct EngineNeeds {
  /// The core it is pinned to; nothing: any.
  std::optional<int> core{};
  /// The engine spins while it waits.
  bool waits_busily = false;
  std::optional<machine::KernelFacts::Throttling> throttling = machine::read_throttling();
};

class EngineThread {
 public:
  /// Threads started from now on avoid the engine's core if there are others, so construct this before the
  /// device starts its threads.
  explicit EngineThread(EngineNeeds needs);
  EngineThread(const EngineThread&) = delete;
  EngineThread& operator=(const EngineThread&) = delete;
  ~EngineThread() { give_back(); }

  /// Takes the real-time class, or where it cannot have that on its own core, the lowest nice value. Call it
  /// after the device has started its threads, which would inherit both. Returns what could not be enforced.
  std::vector<std::string> take();
  void give_back() const { before_.restore(); }

 private:
  EngineNeeds needs_;
  bool has_own_core_ = false;
  machine::ThreadSettings before_;
};

}  // namespace tactus::runtime
