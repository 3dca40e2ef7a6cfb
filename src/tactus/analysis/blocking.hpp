// The longest piece of less urgent work that cannot be stopped.
#pragma once

#include <optional>

#include "tactus/base/time.hpp"
#include "tactus/model/task.hpp"

namespace tactus::analysis {

/// The blocking by less urgent work, and by which task.
struct Blocking {
  Duration length{};
  std::optional<TaskIndex> by;

  /// Keeps the longer.
  void consider(Duration other, TaskIndex task) {
    if (other > length) *this = {other, task};
  }
};

}  // namespace tactus::analysis
