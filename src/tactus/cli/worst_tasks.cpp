#include "tactus/cli/worst_tasks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "tactus/base/text.hpp"

namespace tactus::cli {

ShownTasks shown_tasks(const std::vector<Standing>& standings, bool all) {
  constexpr std::size_t most_whole = 40;
  constexpr std::ptrdiff_t most_worst = 20;
  ShownTasks shown;
  shown.tasks.resize(standings.size());
  std::iota(shown.tasks.begin(), shown.tasks.end(), std::size_t{0});
  if (all || standings.size() <= most_whole) return shown;
  std::stable_sort(shown.tasks.begin(), shown.tasks.end(),
                   [&](std::size_t a, std::size_t b) { return standings[a] < standings[b]; });
  shown.tasks.resize(most_worst);
  shown.note = fmt::format("These are the {} worst by slack; {} more tasks: --all shows them.\n", most_worst,
                           with_thousands(standings.size() - most_worst));
  return shown;
}

}  // namespace tactus::cli
