// A strategy for graphs, as far as tests need one: every node goes to its server when all before it are done.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "tactus/sched/strategy.hpp"

namespace tactus::test {

/// CPU nodes go to their cores, or to any CPU where no node says one. Copies and GPU work have a stream for
/// each node of a job.
class GraphStrategy : public sched::Strategy {
 public:
  explicit GraphStrategy(const System& system) : system_{system}, order_{system} {
    for (const Task& task : system.tasks) {
      for (const Node& node : task.work.nodes) partitioned_ = partitioned_ || node.core;
    }
  }

  void on_released(sched::JobId id, const sched::JobRow& /*job*/) noexcept override {
    released_.push_back(id);
  }
  void on_ready(sched::SubmissionId submission, const sched::JobRow& /*job*/) noexcept override {
    ready_.push_back(submission);
  }
  void forget(sched::JobId id, const sched::JobRow& /*job*/) noexcept override {
    std::erase(released_, id);
    std::erase_if(ready_, [&](const sched::SubmissionId& submission) { return submission.job == id; });
  }

  void schedule(Time /*now*/, const sched::JobTable& jobs, sched::Pass& pass,
                sched::Commands& commands) noexcept override {
    for (const sched::JobId id : released_) {
      for (std::uint32_t segment = 0; segment < jobs.find(id)->segments; ++segment) {
        if (jobs.is_ready({id, segment})) ready_.push_back({id, segment});
      }
    }
    released_.clear();
    std::erase_if(ready_, [&](const sched::SubmissionId& submission) {
      if (!pass.may_submit(submission.job)) return false;
      const sched::JobRow& job = *jobs.find(submission.job);
      const Node& node = system_.tasks[job.task].work.nodes[submission.segment];
      commands.emplace_back(sched::Submit{.id = submission,
                                          .server = server_of(node.segment),
                                          .cores = cores_of(system_.tasks[job.task], node),
                                          .stream = sched::own_stream_of(submission.segment),
                                          .urgency = order_.of_waiting(job)});
      return true;
    });
  }

  [[nodiscard]] std::vector<sched::Lane> lanes() const override {
    std::vector<sched::Lane> lanes;
    for (std::uint32_t node = 0; node < max_segments(system_); ++node) {
      lanes.push_back({.stream = sched::own_stream_of(node)});
    }
    return lanes;
  }
  [[nodiscard]] std::vector<sched::CpuLane> cpu_lanes() const override {
    std::vector<sched::CpuLane> lanes;
    for (const Task& task : system_.tasks) {
      for (const Node& node : task.work.nodes) {
        if (server_of(node.segment) != ServerKind::cpu) continue;
        const Cores cores = cores_of(task, node);
        const auto known = std::find_if(lanes.begin(), lanes.end(),
                                        [&](const sched::CpuLane& lane) { return lane.cores == cores; });
        if (known == lanes.end()) {
          lanes.push_back({.cores = cores, .width = 4});
        } else {
          known->width += 4;  // some jobs of a task may be in progress
        }
      }
    }
    return lanes;
  }
  void reserve(std::size_t jobs) override {
    released_.reserve(jobs);
    ready_.reserve(jobs * max_segments(system_));
  }

 private:
  [[nodiscard]] Cores cores_of(const Task& task, const Node& node) const {
    if (partitioned_) return {.first = core_of(task, node)};
    const std::vector<std::int32_t>& clusters = system_.platform.clusters;
    return {.first = 0, .count = std::accumulate(clusters.begin(), clusters.end(), 0)};
  }

  const System& system_;
  sched::JobOrder order_;
  bool partitioned_ = false;
  std::vector<sched::JobId> released_;
  std::vector<sched::SubmissionId> ready_;
};

inline constexpr sched::StrategyEntry test_graph{
    .facts = {.name = "test-graph", .orders = sched::edf_or_fp, .one_by_one = true},
    .refusals = [](const System&, const sched::Capabilities&) { return std::vector<std::string>{}; },
    .make = sched::make_strategy<GraphStrategy>};

}  // namespace tactus::test
