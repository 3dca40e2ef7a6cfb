// The longest piece of less urgent work that cannot be stopped.
#pragma once

#include <optional>

#include "tactus/base/time.hpp"
#include "tactus/model/task.hpp"

namespace tactus::analysis {

/// What less urgent work can be in the way, and whose.
struct Blocking {
  Duration length{};
  std::optional<TaskIndex> by;

  /// Keeps the longer.
  void consider(Duration other, TaskIndex task) {
    if (other > length) *this = {other, task};
  }
};

}  // namespace tactus::analysis
