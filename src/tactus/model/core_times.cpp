#include "tactus/model/core_times.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tactus {

namespace {

Interval envelope(const Interval& a, const Interval& b) {
  return {std::min(a.best, b.best), std::max(a.worst, b.worst)};
}

std::optional<Interval> time_on_core(const CpuSegment& work, std::int32_t core) {
  for (const CoreTime& one : work.by_core) {
    if (one.cores.first <= core && core < one.cores.end()) return one.time;
  }
  return std::nullopt;
}

Interval time_on_any(const CpuSegment& work) {
  Interval time = work.by_core.front().time;
  for (const CoreTime& one : work.by_core) time = envelope(time, one.time);
  return time;
}

template <class Visit>
void for_each_segment(Task& task, const Visit& visit) {
  for (Node& node : task.work.nodes) visit(node.segment, &node);
  for (WorkChoice& choice : task.choices) {
    for (std::vector<Segment>& variant : choice.variants) {
      for (Segment& segment : variant) visit(segment, nullptr);
    }
  }
}

}  // namespace

std::optional<Interval> time_on(const CpuSegment& work, const Cores& cores) {
  if (work.by_core.empty()) return work.time;
  std::optional<Interval> time;
  for (std::int32_t core = cores.first; core < cores.end(); ++core) {
    const std::optional<Interval> one = time_on_core(work, core);
    if (!one) return std::nullopt;
    time = time ? envelope(*time, *one) : *one;
  }
  return time;
}

Interval least_time(const CpuSegment& work) {
  Interval least = work.by_core.empty() ? work.time : work.by_core.front().time;
  for (const CoreTime& one : work.by_core) {
    least = {std::min(least.best, one.time.best), std::min(least.worst, one.time.worst)};
  }
  return least;
}

void set_core_times(System& system) {
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    const bool is_open = system.tasks[i].any_core;
    for_each_segment(system.tasks[i], [&](Segment& segment, const Node* node) {
      auto* cpu = std::get_if<CpuSegment>(&segment);
      if (cpu == nullptr || cpu->by_core.empty()) return;
      const bool is_given = !is_open || (node != nullptr && node->core);
      const std::optional<Interval> time =
          is_given ? time_on(*cpu, cores_of(system, i, node == nullptr ? Node{} : *node)) : std::nullopt;
      cpu->time = time.value_or(time_on_any(*cpu));
    });
  }
}

std::string cores_text(const Cores& cores) {
  return cores.count == 1 ? fmt::format("{}", cores.first)
                          : fmt::format("{}-{}", cores.first, cores.end() - 1);
}

}  // namespace tactus
