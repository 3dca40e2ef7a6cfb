// Long tables: selects the tasks with the least slack.
#pragma once

#include <compare>
#include <cstddef>
#include <string>
#include <vector>

#include "tactus/base/time.hpp"

namespace tactus::cli {

/// Smaller is worse.
struct Standing {
  bool in_order = true;  // no deadline missed, and a bound if there is a deadline
  Duration slack = Duration::max();

  friend auto operator<=>(const Standing&, const Standing&) = default;
};

/// The tasks that a table shows, and a line for below it if some are left out.
struct ShownTasks {
  std::vector<std::size_t> tasks;
  std::string note;
};

/// All tasks in file order; of more than 40, the 20 worst, the worst first, unless `all`.
ShownTasks shown_tasks(const std::vector<Standing>& standings, bool all);

}  // namespace tactus::cli
