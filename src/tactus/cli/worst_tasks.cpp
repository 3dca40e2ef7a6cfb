#include "tactus/cli/worst_tasks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "tactus/base/text.hpp"

namespace tactus::cli {

ShownTasks shown_tasks(const std::vector<Standing>& standings, bool all) {
  constexpr std::size_t max_whole = 40;
  constexpr std::ptrdiff_t max_listed = 20;
  ShownTasks shown;
  shown.tasks.resize(standings.size());
  std::iota(shown.tasks.begin(), shown.tasks.end(), std::size_t{0});
  if (all || standings.size() <= max_whole) return shown;
  std::stable_sort(shown.tasks.begin(), shown.tasks.end(),
                   [&](std::size_t a, std::size_t b) { return standings[a] < standings[b]; });
  shown.tasks.resize(max_listed);
  shown.note = fmt::format("These are the {} worst by slack; {} more tasks: --all shows them.\n", max_listed,
                           with_thousands(standings.size() - max_listed));
  return shown;
}

}  // namespace tactus::cli
