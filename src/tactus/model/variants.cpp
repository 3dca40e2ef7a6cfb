// Parts of work with several variants, of which one is chosen.
#include <algorithm>
#include <utility>

#include "tactus/model/system.hpp"

namespace tactus {

namespace {

/// From the last choice on, so that the places of the others stay right.
void choose_variants(Task& task, const std::vector<std::size_t>& variants) {
  std::vector<Node>& nodes = task.work.nodes;
  for (std::size_t i = task.choices.size(); i > 0; --i) {
    const WorkChoice& choice = task.choices[i - 1];
    const auto at = nodes.begin() + static_cast<std::ptrdiff_t>(choice.node);
    const std::vector<Segment>& chosen = choice.variants[variants[i - 1]];
    if (task.work.form == WorkForm::graph) {
      at->segment = chosen.front();
      continue;
    }
    std::vector<Node> instead;
    instead.reserve(chosen.size());
    for (const Segment& segment : chosen) instead.push_back({{}, segment});
    const auto behind = nodes.erase(at, at + static_cast<std::ptrdiff_t>(choice.variants.front().size()));
    nodes.insert(behind, instead.begin(), instead.end());
  }
  task.choices.clear();
}

/// What is left of the task's longest block when work that has one may be gone.
void fit_longest_block(Task& task) {
  if (!task.longest_block) return;
  std::optional<Duration> longest;
  for (const Node& node : task.work.nodes) {
    if (const auto* exclusive = std::get_if<ExclusiveSegment>(&node.segment)) {
      longest = std::max(longest.value_or(Duration{}), exclusive->time.worst);
    }
  }
  task.longest_block = longest ? std::optional{std::min(*longest, *task.longest_block)} : std::nullopt;
}

}  // namespace

System with_variants(const System& system, std::span<const std::vector<std::size_t>> variants) {
  System chosen = system;
  for (std::size_t i = 0; i < chosen.tasks.size(); ++i) {
    Task& task = chosen.tasks[i];
    if (task.choices.empty()) continue;
    choose_variants(task, variants[i]);
    fit_longest_block(task);
    if (i < chosen.virtual_sms.size() && !uses_gpu(task.work)) chosen.virtual_sms[i].reset();
  }
  return chosen;
}

}  // namespace tactus
