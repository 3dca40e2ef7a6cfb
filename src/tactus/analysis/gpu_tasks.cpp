#include "tactus/analysis/gpu_tasks.hpp"

#include <algorithm>
#include <map>
#include <variant>

#include "tactus/base/ratio_sum.hpp"
#include "tactus/base/text.hpp"
#include "tactus/model/dispatch.hpp"

namespace tactus::analysis {

namespace {

std::string in_quotes(const Task& task) { return "task '" + task.name + "'"; }

// ------------------------------------------------------------------------------------- what does not apply

/// Whether the segments run one after the other, in the only order the edges allow.
bool is_chain(const Work& work) {
  if (work.form != WorkForm::graph) return true;
  const std::vector<std::size_t> order = topological_order(work);
  const std::vector<Edge> edges = edges_within_job(work);
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    const auto joins = [&](const Edge& edge) { return edge.from == order[i] && edge.to == order[i + 1]; };
    if (std::ranges::none_of(edges, joins)) return false;
  }
  return true;
}

std::string find_bad_arrival(const Task& task) {
  if (task.arrival == Arrival::once) {
    return "needs periodic or sporadic tasks: " + in_quotes(task) + " arrives once";
  }
  if (repeats(task) && *task.deadline > *task.period) {
    return "needs deadlines no longer than periods: " + in_quotes(task) + " has deadline " +
           to_text(*task.deadline) + " and period " + to_text(*task.period);
  }
  return {};
}

std::string find_bad_chain(const Task& task) {
  for (const Node& node : task.work.nodes) {
    if (std::holds_alternative<CpuSegment>(node.segment) ||
        std::holds_alternative<GpuSegment>(node.segment)) {
      return "needs copies, kernels and exclusive work alone: " + in_quotes(task) + " has a `" +
             kind_name(node.segment) + "` segment";
    }
  }
  if (!is_chain(task.work)) return "needs chains: the graph of " + in_quotes(task) + " branches";
  return {};
}

std::string find_other_than_one_operation(const Task& task) {
  const auto needs = [&](const std::string& instead) {
    return "needs tasks of one kernel or one exclusive segment: " + in_quotes(task) + instead;
  };
  const std::size_t segments = task.work.nodes.size();
  if (segments != 1) return needs(" has " + std::to_string(segments) + " segments");
  const Segment& segment = task.work.nodes.front().segment;
  if (std::holds_alternative<KernelSegment>(segment) || std::holds_alternative<ExclusiveSegment>(segment)) {
    return {};
  }
  return needs(" is a `" + std::string{kind_name(segment)} + "`");
}

// ------------------------------------------------------------------------------------- how long things take

/// On `sms` SMs, in the worst case.
struct Worst {
  Duration time{};
  Duration block{};  // the longest part that cannot be interrupted; 0 for work that can be stopped anywhere
  std::int64_t slices = 1;
};

struct WorstOf {
  const Task& task;
  const Gpu& gpu;
  std::int64_t sms;

  Worst operator()(const KernelSegment& kernel) const {
    const std::int64_t at_once = sms * blocks_per_sm(block_demand(kernel, gpu), gpu);
    const std::int64_t waves = ceil_div(kernel.blocks(), at_once);
    return {checked_mul(kernel.block_time.worst, waves), kernel.block_time.worst, waves};
  }
  Worst operator()(const ExclusiveSegment& exclusive) const {
    const Duration time = exclusive.time.worst;
    const Duration block = std::min(time, task.longest_block.value_or(time));
    return {time, block, block > Duration{} ? ceil_div(time.count(), block.count()) : 1};
  }
  Worst operator()(const CopySegment& copy) const { return {copy.time.worst, copy.time.worst, 1}; }
  // Such tasks were rejected before.
  Worst operator()(const CpuSegment& /*cpu*/) const { return {}; }
  Worst operator()(const GpuSegment& /*gpu*/) const { return {}; }
};

Worst worst(const Task& task, const Segment& segment, const System& system, std::int64_t sms) {
  return std::visit(WorstOf{task, system.platform.gpu, sms}, segment);
}

Duration launch_and_completion(const System& system, const Task& task) {
  const Overheads overheads = dispatch_overheads(system, task);
  return checked_add(overheads.launch, overheads.completion);
}

/// Of any task.
Duration launch_and_completion(const System& system) {
  return checked_add(longest_launch(system), system.platform.overheads.completion);
}

GpuTask task_without_cost(const System& system, TaskIndex index) {
  const Task& task = system.tasks[index];
  GpuTask result;
  result.task = index;
  result.deadline = *task.deadline;
  result.period = *task.period;
  result.jitter = checked_add(system.platform.overheads.release, task.jitter);
  return result;
}

GpuTask single_stream_task(const System& system, TaskIndex index) {
  GpuTask result = task_without_cost(system, index);
  const Task& task = system.tasks[index];
  for (const Node& node : task.work.nodes) {
    const Duration time = worst(task, node.segment, system, system.platform.gpu.sms).time;
    const bool is_copy = std::holds_alternative<CopySegment>(node.segment);
    const Duration added = is_copy ? system.platform.overheads.copy : launch_and_completion(system, task);
    result.work = checked_add(result.work, time);
    result.cost = checked_add(result.cost, checked_add(time, added));
  }
  result.longest_block = result.cost;
  return result;
}

GpuTask multi_stream_task(const System& system, TaskIndex index) {
  GpuTask result = task_without_cost(system, index);
  const Task& task = system.tasks[index];
  const Segment& segment = task.work.nodes.front().segment;
  const Worst whole = worst(task, segment, system, system.platform.gpu.sms);
  result.work = whole.time;
  result.cost = checked_add(whole.time, launch_and_completion(system, task));
  if (whole.block > Duration{}) {
    result.longest_block = checked_add(whole.block, system.platform.overheads.completion);
  }
  result.blocks_apart = std::holds_alternative<KernelSegment>(segment);
  return result;
}

GpuTask sm_core_task(const System& system, TaskIndex index, std::int64_t sms) {
  GpuTask result = task_without_cost(system, index);
  const Task& task = system.tasks[index];
  const Worst whole = worst(task, task.work.nodes.front().segment, system, sms);
  const Duration added = launch_and_completion(system, task);
  result.work = whole.time;
  result.slices = whole.slices;
  result.cost = checked_add(whole.time, checked_mul(added, whole.slices));
  if (whole.block > Duration{}) result.longest_block = checked_add(whole.block, added);
  return result;
}

/// The longest slice of a best-effort task, whatever the strategy.
BestEffortBlock best_effort_block(const System& system, TaskIndex index) {
  const Task& task = system.tasks[index];
  Duration longest{};
  for (const Node& node : task.work.nodes) {
    Duration block = worst(task, node.segment, system, system.platform.gpu.sms).block;
    if (std::holds_alternative<CopySegment>(node.segment)) {
      block = checked_add(block, system.platform.overheads.copy);
    }
    longest = std::max(longest, block);
  }
  return {index, checked_add(longest, launch_and_completion(system, task))};
}

std::string find_no_work(const System& system, const GpuServers& servers) {
  for (const GpuServer& server : servers.servers) {
    for (const GpuTask& task : server.tasks) {
      if (task.cost == Duration{})
        return "needs work: " + in_quotes(system.tasks[task.task]) + " takes no time";
    }
  }
  return {};
}

/// One server for all tasks.
GpuServers one_server(const System& system, GpuTask (*make_task)(const System&, TaskIndex)) {
  GpuServers result;
  GpuServer& gpu = result.servers.emplace_back();
  gpu.name = "the GPU";
  gpu.tasks.reserve(system.tasks.size());
  for (const TaskIndex index : urgency_order(system)) {
    if (system.tasks[index].arrival == Arrival::best_effort) {
      gpu.best_effort_blocks.push_back(best_effort_block(system, index));
    } else {
      gpu.tasks.push_back(make_task(system, index));
    }
  }
  result.why_not = find_no_work(system, result);
  return result;
}

template <typename FindBadWork>
std::string find_obstacle(const System& system, FindBadWork find_bad_work) {
  for (const Task& task : system.tasks) {
    if (std::string obstacle = find_bad_arrival(task); !obstacle.empty()) return obstacle;
    if (std::string obstacle = find_bad_work(task); !obstacle.empty()) return obstacle;
  }
  return {};
}

bool adds_to_operations(const System& system) { return launch_and_completion(system) > Duration{}; }

}  // namespace

GpuServers single_stream_servers(const System& system) {
  if (std::string obstacle = find_obstacle(system, find_bad_chain); !obstacle.empty()) return {obstacle};
  GpuServers result = one_server(system, single_stream_task);
  // Launches and completions of a chain overlap with its other segments.
  result.costs_are_tight =
      !adds_to_operations(system) || find_obstacle(system, find_other_than_one_operation).empty();
  return result;
}

GpuServers multi_stream_servers(const System& system) {
  if (std::string obstacle = find_obstacle(system, find_other_than_one_operation); !obstacle.empty()) {
    return {obstacle};
  }
  GpuServers result = one_server(system, multi_stream_task);
  // With several levels a block counts with a completion that may pass while it runs.
  result.costs_are_tight = system.policy.levels == 1 || !adds_to_operations(system);
  return result;
}

// -------------------------------------------------------------------------------------------------- sm-cores

namespace {

constexpr std::int32_t gang = -1;

std::int32_t core_of(const Task& task) { return task.sm.kind == SmAffinity::Kind::one ? task.sm.core : gang; }

bool is_ideal(const GpuTask& task) { return task.longest_block == Duration{}; }

/// A job that interrupts work which can be stopped anywhere waits until the stop is known, and the
/// interrupted work starts again later.
void charge_interruptions(GpuServer& server, Duration launch_and_completion) {
  const auto ideal = std::count_if(server.tasks.begin(), server.tasks.end(), is_ideal);
  for (GpuTask& task : server.tasks) {
    if (ideal > 0) task.cost = checked_add(task.cost, launch_and_completion);
  }
}

void give_window(GpuServer& server, const System& system, bool is_gang, bool other_kind_has_tasks) {
  server.other_kind_has_tasks = other_kind_has_tasks;
  if (!system.policy.reservations) return;
  const Reservations& reservations = *system.policy.reservations;
  const std::optional<Window>& window = is_gang ? reservations.all : reservations.local;
  server.window = Supply{.period = reservations.period};
  if (window) server.window = Supply{window->offset, window->budget, reservations.period};
  if (server.window->budget == server.window->period) {
    server.window.reset();
    return;
  }
  const Overheads& overheads = system.platform.overheads;
  Duration late = overheads.release;
  if (std::any_of(server.tasks.begin(), server.tasks.end(), is_ideal)) {
    late = checked_add(late, launch_and_completion(system));
  } else if (other_kind_has_tasks) {
    late = checked_add(late, overheads.completion);
  }
  late = std::min(late, server.window->budget);
  server.supply = Supply{server.window->offset + late, server.window->budget - late, server.window->period};
}

std::string find_sm_core_obstacle(const System& system) {
  for (const Task& task : system.tasks) {
    if (task.sm.kind == SmAffinity::Kind::any) {
      return "needs a core for every task: " + in_quotes(task) + " has `sm: any`";
    }
  }
  return find_obstacle(system, find_other_than_one_operation);
}

}  // namespace

GpuServers sm_core_tasks(const System& system) {
  if (std::string obstacle = find_sm_core_obstacle(system); !obstacle.empty()) return {obstacle};
  GpuServers result;
  result.share_engine = true;
  std::map<std::int32_t, GpuServer> by_core;
  bool cores_have_tasks = false;
  bool gang_has_tasks = false;
  for (const TaskIndex index : urgency_order(system)) {
    const Task& task = system.tasks[index];
    const std::int32_t core = core_of(task);
    (core == gang ? gang_has_tasks : cores_have_tasks) = true;
    GpuServer& server = by_core[core];
    if (task.arrival == Arrival::best_effort) {
      server.best_effort_blocks.push_back(best_effort_block(system, index));
    } else {
      const std::int64_t sms = core == gang ? system.platform.gpu.sms : system.policy.sm_group;
      server.tasks.push_back(sm_core_task(system, index, sms));
    }
  }
  for (auto& [core, server] : by_core) {
    if (server.tasks.empty()) continue;
    server.is_gang = core == gang;
    server.name = core == gang ? "all SMs" : "core " + std::to_string(core);
    charge_interruptions(server, launch_and_completion(system));
    give_window(server, system, core == gang, core == gang ? cores_have_tasks : gang_has_tasks);
    result.servers.push_back(std::move(server));
  }
  // Cores first, then the gang.
  if (!result.servers.empty() && result.servers.front().is_gang) {
    std::rotate(result.servers.begin(), result.servers.begin() + 1, result.servers.end());
  }
  const Overheads& overheads = system.platform.overheads;
  result.costs_are_tight = !adds_to_operations(system) && overheads.release == Duration{};
  result.why_not = find_no_work(system, result);
  return result;
}

GpuServers sm_core_servers(const System& system) {
  GpuServers result = sm_core_tasks(system);
  if (!system.policy.reservations) result.refuse("needs reservations: policy.reservations is missing");
  return result;
}

bool is_overloaded(const GpuServer& server) {
  const Ratio share =
      server.window ? Ratio{server.window->budget.count(), server.window->period.count()} : Ratio{1, 1};
  std::vector<Ratio> terms;
  for (const GpuTask& task : server.tasks) terms.push_back({task.work.count(), task.period.count()});
  return compare_sum(terms, share) > 0;
}

bool sees_releases_at_once(const GpuServer& server) {
  return std::all_of(server.tasks.begin(), server.tasks.end(),
                     [](const GpuTask& task) { return task.jitter == Duration{}; });
}

}  // namespace tactus::analysis
