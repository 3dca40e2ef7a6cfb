#include "tactus/import/competitors.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "tactus/import/hierarchy.hpp"

namespace tactus::import {

namespace {

constexpr std::int32_t any_core = -1;

std::set<std::int32_t> cores_of(const Crew& crew) {
  std::set<std::int32_t> cores;
  for (const Ranked* one : crew.tasks) cores.merge(import::cores_of(*one));
  return cores;
}

std::vector<Crew> crews_of(std::vector<Ranked>& tasks) {
  std::vector<Crew> crews;
  std::map<const TaskSchedulerFacts*, std::size_t> place_of;
  for (Ranked& one : tasks) {
    if (one.process->is_interrupt) continue;
    const TaskSchedulerFacts* top = top_of(one.allocation == nullptr ? nullptr : one.allocation->scheduler);
    const auto [place, is_new] = place_of.emplace(top, crews.size());
    if (is_new) crews.push_back({.scheduler = top, .tasks = {}});
    crews[place->second].tasks.push_back(&one);
  }
  return crews;
}

struct Group {
  std::vector<Crew> crews;
  std::set<std::int32_t> cores;
};

}  // namespace

std::set<std::int32_t> cores_of(const Ranked& one) {
  std::set<std::int32_t> cores;
  for (const Node& node : one.task->work.nodes) {
    if (!std::holds_alternative<CpuSegment>(node.segment)) continue;
    cores.insert(node.core.value_or(one.task->any_core ? any_core : one.task->core));
  }
  return cores;
}

bool meet(const std::set<std::int32_t>& a, const std::set<std::int32_t>& b) {
  if (a.empty() || b.empty()) return false;
  if (a.contains(any_core) || b.contains(any_core)) return true;
  return std::any_of(a.begin(), a.end(), [&b](std::int32_t core) { return b.contains(core); });
}

std::vector<std::vector<Crew>> competitors(std::vector<Ranked>& tasks) {
  std::vector<Group> groups;
  for (Crew& crew : crews_of(tasks)) {
    Group joined{.crews = {}, .cores = cores_of(crew)};
    for (Group& group : groups) {
      if (!meet(group.cores, joined.cores)) continue;
      std::move(group.crews.begin(), group.crews.end(), std::back_inserter(joined.crews));
      joined.cores.merge(group.cores);
      group.crews.clear();
      group.cores.clear();
    }
    joined.crews.push_back(std::move(crew));
    std::erase_if(groups, [](const Group& group) { return group.crews.empty(); });
    groups.push_back(std::move(joined));
  }
  std::vector<std::vector<Crew>> found;
  found.reserve(groups.size());
  for (Group& group : groups) found.push_back(std::move(group.crews));
  return found;
}

}  // namespace tactus::import
