// The thread that runs the engine, for the time of a run: a core, a real-time class, punctual timers, memory
// that stays. Afterwards it is as it was, but for the memory: what is locked stays locked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tactus/machine/machine.hpp"
#include "tactus/machine/thread_settings.hpp"

namespace tactus::runtime {

struct EngineNeeds {
  /// The core it stays on; nothing: any.
  std::optional<int> core{};
  /// It keeps its core busy while it waits.
  bool waits_busily = false;
  std::optional<machine::KernelFacts::Throttling> throttling = machine::read_throttling();
};

class EngineThread {
 public:
  /// Threads that are started from now on keep off the engine's core, if there are others: made before the
  /// device starts its own.
  explicit EngineThread(EngineNeeds needs);
  EngineThread(const EngineThread&) = delete;
  EngineThread& operator=(const EngineThread&) = delete;
  EngineThread(EngineThread&&) = delete;
  EngineThread& operator=(EngineThread&&) = delete;
  ~EngineThread() { give_back(); }

  /// Called after the device has started its threads: these would inherit the class. Answers what could not
  /// be enforced.
  std::vector<std::string> take();
  void give_back() const { before_.restore(); }

 private:
  EngineNeeds needs_;
  machine::ThreadSettings before_;
};

}  // namespace tactus::runtime
