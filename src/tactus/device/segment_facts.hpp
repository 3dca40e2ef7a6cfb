// The facts of a segment that are the same for every job on every device that implements the block rules: its
// server, the call, and the execution time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tactus/base/error.hpp"
#include "tactus/device/job.hpp"
#include "tactus/device/rules/block_rules.hpp"
#include "tactus/model/system.hpp"

namespace tactus::device {

struct SegmentFacts {
  ServerKind server = ServerKind::gpu;
  Call call;                          // of copies and GPU work
  Interval time;                      // of a block, of the copy, or of the whole segment
  std::optional<Duration> slice;      // exclusive: longest_block, if shorter than the segment
  bool preemptible_anywhere = false;  // exclusive
  bool starts_at_once = false;        // all of it starts on an idle GPU and does not affect later placement
  std::optional<std::int64_t> bytes;  // of a copy, if declared
};

/// By task and segment. A `gpu` segment without virtual SMs gets no time; such systems are refused elsewhere.
std::vector<std::vector<SegmentFacts>> make_segment_facts(const System& system);

Problem segment_problem(const Task& task, std::size_t segment, const std::string& what);

/// A plan for each segment, by task. Plan is derived from SegmentFacts; `bind(plan, task, segment, binding)`
/// completes it and returns why the device cannot run it, or an empty text. InputError with all reasons.
template <class Plan, class Bind>
std::vector<std::vector<Plan>> bind_segments(const System& system, const Bindings* bindings, Bind&& bind) {
  std::vector<std::vector<Plan>> plans;
  std::vector<Problem> problems;
  for (const std::vector<SegmentFacts>& facts_of_task : make_segment_facts(system)) {
    const auto i = static_cast<TaskIndex>(plans.size());
    const Task& task = system.tasks[i];
    std::vector<Plan>& of_task = plans.emplace_back();
    for (const SegmentFacts& facts : facts_of_task) {
      const std::size_t segment = of_task.size();
      Plan& plan = of_task.emplace_back(Plan{facts});
      const std::string problem = bind(plan, i, task.work.nodes[segment], find_binding(bindings, i, segment));
      if (!problem.empty()) problems.push_back(segment_problem(task, segment, problem));
    }
  }
  if (!problems.empty()) throw InputError{std::move(problems)};
  return plans;
}

/// Calls `visit(plan)` for the plans of all segments.
template <class Plan, class Visit>
void for_each_plan(const std::vector<std::vector<Plan>>& plans, Visit&& visit) {
  for (const std::vector<Plan>& of_task : plans) std::ranges::for_each(of_task, visit);
}
template <class Plan, class Test>
bool any_plan(const std::vector<std::vector<Plan>>& plans, Test&& test) {
  return std::ranges::any_of(plans, [&](const auto& of_task) { return std::ranges::any_of(of_task, test); });
}

}  // namespace tactus::device
