// graph-edf, graph-fl: graphs of nodes on global or clustered cores, copy engines and a GPU that serves
// kernels as they come.
//
// Claim: every job of a task is done within the end-to-end bound of graph_timing.hpp. It may exceed the
// deadline, and the period: then it is a bound all the same.
//
// Source: real-time OpenVX (Yang, Amert, et al., 2018). Work that is not preempted, several resources of an
// SM, jitter and overheads are ours. Proof: priority_points.hpp, gpu_fifo.cpp, graph_timing.hpp.
//
// Model: graph with `order: edf` (graph-edf) or `fl` (graph-fl); all tasks repeat; CPU nodes, copies and
// kernels; jobs of a node in parallel, or one after the other. Copies as they come.
//
// Kind: sufficient.
//
// Soundness: sound.
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tactus/analysis/analyses.hpp"
#include "tactus/analysis/graph_timing.hpp"
#include "tactus/base/exact.hpp"
#include "tactus/base/ratio_sum.hpp"
#include "tactus/base/text.hpp"

namespace tactus::analysis {

namespace {

/// What is left of a server: what it is needed for is rounded up to millionths.
std::string slack_of(const GraphServer& server) {
  const std::string needed = to_decimal(server.needed, Rounding::up);
  const std::size_t point = needed.find('.');
  const std::string digits = (needed.substr(point + 1) + "000000").substr(0, 6);
  constexpr std::int64_t million = 1'000'000;
  const std::int64_t left =
      server.available * million - std::stoll(needed.substr(0, point)) * million - std::stoll(digits);
  return fmt::format("{}.{:06}", left / million, left % million);
}

Detail detail_of(const System& system, const GraphTiming& timing) {
  std::vector<Detail> servers;
  for (const GraphServer& server : timing.servers) {
    servers.push_back({{"server", server.name},
                       {"utilisation", to_decimal(server.needed, Rounding::up)},
                       {"available", server.available},
                       {"slack", slack_of(server)}});
  }
  std::vector<Detail> tasks;
  for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
    const Task& task = system.tasks[index];
    tasks.push_back(
        {{"task", task.name}, {"jobs_at_once", jobs_at_once(timing.bound_of(index), *task.period)}});
  }
  return {{"servers", std::move(servers)}, {"tasks", std::move(tasks)}};
}

Result judge_graphs(const System& system, Order order) {
  if (system.policy.order != order) return does_not_apply("is for another `order`");
  if (std::string obstacle = graph_obstacle(system); !obstacle.empty()) {
    return does_not_apply(std::move(obstacle));
  }
  for (const Task& task : system.tasks) {
    if (task.stream) return does_not_apply("needs a stream for each job: task '" + task.name + "' names one");
    if (checked_add(task.jitter, system.platform.overheads.release) > *task.period) {
      return does_not_apply("needs jobs that are seen in order: task '" + task.name +
                            "' may be seen more than a period late");
    }
    if (task.stream_priority != system.tasks.front().stream_priority) {
      return does_not_apply("needs one stream priority: they are mixed");
    }
  }
  const GraphTiming timing = graph_timing(system);
  Result result;
  if (!timing.is_bounded()) {
    result = unjudged(system);
    result.verdict = Verdict::unproven;
    result.reason = timing.unbounded + ": no bound is known";
    return result;
  }
  result.detail = detail_of(system, timing);
  result.verdict = Verdict::schedulable;
  result.reason = "every end-to-end bound is within its deadline";
  for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
    const Task& task = system.tasks[index];
    const Duration bound = timing.bound_of(index);
    const bool ok = !task.deadline || bound <= *task.deadline;
    result.tasks.push_back({task.name, task.deadline, bound, ok});
    if (ok || result.verdict != Verdict::schedulable) continue;
    result.verdict = Verdict::unproven;
    result.reason = "'" + task.name + "' may take " + to_text(bound) +
                    " from end to end, and never longer; its " + "deadline is " + to_text(*task.deadline);
    result.detail.push_back({"task", task.name});
  }
  return result;
}

}  // namespace

Result graph_edf(const System& system) { return judge_graphs(system, Order::edf); }

Result graph_fl(const System& system) { return judge_graphs(system, Order::fair_lateness); }

}  // namespace tactus::analysis
