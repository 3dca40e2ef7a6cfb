#include "tactus/plan/audsley.hpp"

#include <utility>

namespace tactus::plan {

namespace {

/// The tasks without the one at `place`.
std::vector<std::size_t> all_but(const std::vector<std::size_t>& tasks, std::size_t place) {
  std::vector<std::size_t> others;
  others.reserve(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (i != place) others.push_back(tasks[i]);
  }
  return others;
}

}  // namespace

PriorityOrder audsley_order(std::vector<std::size_t> wish, const HoldsBelow& holds) {
  PriorityOrder result;
  std::vector<std::size_t> lower;  // least urgent first
  while (!wish.empty()) {
    bool filled = false;
    for (std::size_t place = wish.size(); place > 0 && !filled; --place) {
      std::vector<std::size_t> others = all_but(wish, place - 1);
      if (!holds(wish[place - 1], others)) continue;
      lower.push_back(wish[place - 1]);
      wish = std::move(others);
      filled = true;
    }
    if (!filled) break;
  }
  result.found = wish.empty();
  result.stuck_at = wish.size();
  result.order = std::move(wish);
  result.order.insert(result.order.end(), lower.rbegin(), lower.rend());
  return result;
}

}  // namespace tactus::plan
