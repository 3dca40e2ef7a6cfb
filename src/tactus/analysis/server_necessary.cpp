// server-necessary: conditions without which no order of the segments helps.
//
// Claim: the system cannot hold if
//   - the tasks need more than all of the time of a server: a core, the cores that share their work, the copy
//     engines, or the GPU where work has all SMs (the sum of worst cases over T is above what there is);
//   - the longest job of a task takes longer than its deadline even alone: the worst cases along its longest
//     path add up to more than D.
//
// Source: ours; a ceiling for the acceptance of every other test.
//
// Model: segments go to servers of their own (is_by_node); any deadlines. Overheads, jitter and best-effort
// tasks are left out: they need not occur. Kernels count on the GPU only where they have it alone.
//
// Kind: necessary. Soundness: sound: jobs may come as often as their periods and take their worst cases.
#include "tactus/analysis/analyses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "tactus/analysis/server_results.hpp"
#include "tactus/base/text.hpp"

namespace tactus::analysis {

namespace {

/// A server by name, and how many of its kind take from one queue.
struct Resource {
  std::string name;
  std::int64_t units = 1;
  friend auto operator<=>(const Resource&, const Resource&) = default;
};

/// Nothing for GPU work that may run beside other work, or only in windows.
std::optional<Resource> resource_of(const System& system, TaskIndex task, const Node& node) {
  const StrategyFacts& strategy = *system.policy.strategy;
  switch (server_of(node.segment)) {
    case ServerKind::cpu: {
      const Cores cores = cores_of(system, task, node);
      if (cores.count == 1) return Resource{fmt::format("core {}", cores.first)};
      return Resource{fmt::format("cores {} to {}", cores.first, cores.first + cores.count - 1), cores.count};
    }
    case ServerKind::copy: {
      const std::int64_t engines = strategy.one_copy_engine ? 1 : system.platform.gpu.copy_engines;
      return Resource{engines == 1 ? "the copy engine" : "the copy engines", engines};
    }
    case ServerKind::gpu:
      break;
  }
  const bool is_one_by_one = strategy.slices_time || (!strategy.has_levels && !strategy.streams_of_tasks);
  const bool has_all = std::holds_alternative<ExclusiveSegment>(node.segment) || is_one_by_one;
  return strategy.sms == SmSharing::all && has_all ? std::optional{Resource{"the GPU"}} : std::nullopt;
}

/// The longest path through the segments' worst cases.
Duration longest_job(const System& system, TaskIndex index) {
  const Work& work = system.tasks[index].work;
  std::vector<std::vector<std::size_t>> successors(work.nodes.size());
  for (const Edge& edge : edges_within_job(work)) successors[edge.from].push_back(edge.to);
  if (work.form != WorkForm::graph) {
    for (std::size_t segment = 1; segment < work.nodes.size(); ++segment) {
      successors[segment - 1].push_back(segment);
    }
  }
  std::vector<Duration> starts(work.nodes.size());
  Duration longest{};
  for (const std::size_t segment : topological_order(work)) {
    const Duration end = checked_add(starts[segment], whole_time(system, index, segment).worst);
    for (const std::size_t next : successors[segment]) starts[next] = std::max(starts[next], end);
    longest = std::max(longest, end);
  }
  return longest;
}

std::optional<Witness> find_overloaded_server(const System& system) {
  std::map<Resource, std::vector<Ratio>> shares;
  for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
    if (!repeats(system.tasks[index])) continue;
    const std::vector<Node>& nodes = system.tasks[index].work.nodes;
    for (std::size_t segment = 0; segment < nodes.size(); ++segment) {
      const std::optional<Resource> resource = resource_of(system, index, nodes[segment]);
      if (!resource) continue;
      shares[*resource].push_back({whole_time(system, index, segment).worst.count(),
                                   checked_mul(*system.tasks[index].period, resource->units).count()});
    }
  }
  for (const auto& [resource, needed] : shares) {
    if (std::optional<Witness> witness = find_overload(resource.name, needed)) return witness;
  }
  return std::nullopt;
}

std::optional<Witness> find_too_long(const System& system) {
  for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
    const Task& task = system.tasks[index];
    if (!task.deadline) continue;
    const Duration length = longest_job(system, index);
    if (length <= *task.deadline) continue;
    return Witness{
        .reason = fmt::format("the longest job of '{}' takes {} with nobody in its way; its deadline is {}",
                              task.name, to_text(length), to_text(*task.deadline)),
        .detail = {{"task", task.name}, {"longest_job_ns", length}, {"deadline_ns", *task.deadline}},
        .late_alone = Lateness{index, length - *task.deadline}};
  }
  return std::nullopt;
}

}  // namespace

Result server_necessary(const System& system) {
  for (const Task& task : system.tasks) {
    for (const Node& node : task.work.nodes) {
      const bool is_known =
          system.policy.strategy->sms != SmSharing::owned || server_of(node.segment) != ServerKind::gpu ||
          virtual_sms_of(system, static_cast<TaskIndex>(&task - system.tasks.data()), node) > 0;
      if (!is_known) return does_not_apply("needs virtual SMs: task '" + task.name + "' has none");
    }
  }
  Result result = unjudged(system);
  set_answer(result, Verdict::unproven,
             {"no server is needed for more than there is of it, no job is too long"});
  if (std::optional<Witness> witness = find_overloaded_server(system)) {
    set_answer(result, Verdict::unschedulable, *std::move(witness));
  } else if (std::optional<Witness> late = find_too_long(system)) {
    set_answer(result, Verdict::unschedulable, *std::move(late));
  }
  return result;
}

}  // namespace tactus::analysis
