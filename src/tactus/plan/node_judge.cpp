#include "tactus/plan/node_judge.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "tactus/analysis/check.hpp"
#include "tactus/analysis/effort.hpp"
#include "tactus/analysis/kernel_shares.hpp"
#include "tactus/base/exact.hpp"

namespace tactus::plan {

using analysis::CheckResult;
using analysis::Verdict;

namespace {

constexpr std::int64_t whole = 1000;
constexpr std::int64_t times_longer = 8;
constexpr std::int64_t no_bound = times_longer * whole;

bool serves_by_deadline(const Policy& policy) {
  return (policy.strategy->has_order && policy.order != Order::fp) || cpu_policy(policy).order != Order::fp ||
         copy_order(policy) == CopyOrder::edf;
}

/// Under fixed priorities deadlines change nothing but how far bounds are looked for. Priorities are made
/// explicit, since deadlines order tasks that have none.
System with_longer_deadlines(const System& system) {
  System longer = system;
  auto gpu_priority = static_cast<std::int64_t>(system.tasks.size());
  for (const TaskIndex task : gpu_urgency_order(system)) longer.tasks[task].gpu_priority = gpu_priority--;
  auto priority = static_cast<std::int64_t>(system.tasks.size());
  for (const TaskIndex task : urgency_order(system)) {
    longer.tasks[task].priority = priority--;
    std::optional<Duration>& deadline = longer.tasks[task].deadline;
    if (deadline && deadline->count() <= std::numeric_limits<std::int64_t>::max() / times_longer) {
      *deadline = *deadline * times_longer;
    }
  }
  return longer;
}

std::int64_t narrowed(Int128 number) {
  return static_cast<std::int64_t>(std::min<Int128>(number, std::numeric_limits<std::int64_t>::max()));
}

/// What is needed of shared cores, copy engines and the GPU beyond what there is, where nodes are timed:
/// there are no bounds then that could be compared.
std::int64_t overload_of(const System& system) {
  std::map<std::pair<ServerKind, std::int32_t>, Int128> needed;  // less what there is
  std::vector<const KernelSegment*> kernels;
  for (const Task& task : system.tasks) {
    for (const Node& node : task.work.nodes) {
      if (const auto* kernel = std::get_if<KernelSegment>(&node.segment)) kernels.push_back(kernel);
    }
  }
  const Gpu& gpu = system.platform.gpu;
  const analysis::KernelShares shares{kernels, gpu};
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    if (!task.period) continue;
    for (const Node& node : task.work.nodes) {
      const ServerKind server = server_of(node.segment);
      const Cores cores = server == ServerKind::cpu ? cores_of(system, i, node) : Cores{0, 1};
      const std::int64_t units = server == ServerKind::copy ? gpu.copy_engines : cores.count;
      const auto* kernel = std::get_if<KernelSegment>(&node.segment);
      const Duration time = kernel == nullptr ? drawn_time(node.segment).worst
                                              : shares.time_of(*kernel, kernel->blocks(), gpu.sms);
      Int128& sum = needed.try_emplace({server, cores.first}, -Int128{units} * whole).first->second;
      sum += static_cast<Int128>(time.count()) * whole / task.period->count();
    }
  }
  Int128 overload = 0;
  for (const auto& [server, sum] : needed) overload += std::max<Int128>(sum, 0);
  return narrowed(overload);
}

/// The GPU work of all tasks, where they share it.
std::int64_t gpu_load_of(const System& system) {
  if (system.policy.strategy->sms != SmSharing::all) return 0;
  Int128 sum = 0;
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    if (!task.period) continue;
    for (std::size_t node = 0; node < task.work.nodes.size(); ++node) {
      if (server_of(task.work.nodes[node].segment) != ServerKind::gpu) continue;
      sum += static_cast<Int128>(whole_time(system, i, node).worst.count()) * whole / task.period->count();
    }
  }
  return narrowed(sum);
}

std::int64_t excess_of(Duration past, Duration deadline) {
  const Int128 part = static_cast<Int128>(past.count()) * whole / deadline.count() + 1;
  return static_cast<std::int64_t>(std::min<Int128>(part, no_bound));
}

}  // namespace

NodeJudgement judge_nodes(const System& system, const Watch& watch) {
  const analysis::StepsWatched watched{watch};
  NodeJudgement judgement;
  const CheckResult result = analysis::check(system);
  judgement.holds = result.verdict == Verdict::schedulable;
  for (const analysis::CheckedAnalysis& checked : result.analyses) {
    if (checked.analysis.kind != analysis::Kind::necessary || !counts_for_verdict(checked.analysis)) continue;
    if (!checked.result.applies() || checked.result.verdict != Verdict::unschedulable) continue;
    judgement.ruled_out = true;
    judgement.why_ruled_out = checked.result.reason;
    break;
  }
  judgement.tasks.resize(system.tasks.size());
  judgement.past.resize(system.tasks.size());
  if (judgement.holds) return judgement;
  std::vector<analysis::ProvenBound> bounds = analysis::proven_bounds(system, result);
  if (!serves_by_deadline(system.policy)) {
    const System longer = with_longer_deadlines(system);
    bounds = analysis::proven_bounds(longer, analysis::check(longer));
  }
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const std::optional<Duration>& deadline = system.tasks[i].deadline;
    if (!deadline || system.tasks[i].arrival == Arrival::best_effort) continue;
    const std::optional<Duration>& bound = bounds[i].bound;
    if (bound && *bound <= *deadline) continue;
    if (bound && !bounds[i].deadline_only) judgement.past[i] = *bound - *deadline;
    judgement.tasks[i] = judgement.past[i] ? excess_of(*judgement.past[i], *deadline) : no_bound;
    judgement.excess += judgement.tasks[i];
  }
  // It fails for another reason than a response time.
  if (judgement.excess == 0) judgement.excess = 1;
  judgement.load = system.policy.strategy->times_nodes ? overload_of(system) : gpu_load_of(system);
  return judgement;
}

}  // namespace tactus::plan
