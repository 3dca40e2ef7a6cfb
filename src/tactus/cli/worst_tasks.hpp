// Long tables for people: the tasks that stand worst.
#pragma once

#include <compare>
#include <cstddef>
#include <string>
#include <vector>

#include "tactus/base/time.hpp"

namespace tactus::cli {

/// Less is worse.
struct Standing {
  bool in_order = true;  // no deadline missed, a bound where there is a deadline
  Duration slack = Duration::max();

  friend auto operator<=>(const Standing&, const Standing&) = default;
};

/// The tasks that a table shows, and the line below it that says so where some are left out.
struct ShownTasks {
  std::vector<std::size_t> tasks;
  std::string note;
};

/// All of them, in file order; of more than 40 the 20 worst, the worst first, unless `all` are wanted.
ShownTasks shown_tasks(const std::vector<Standing>& standings, bool all);

}  // namespace tactus::cli
