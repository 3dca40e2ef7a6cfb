// Strategy `as-submitted`: what plain CUDA does, the baseline.
//
// All segments of a job are submitted at its release, in order, to its stream: the one that its task names,
// or a stream of its own. Simultaneous releases are submitted in file order, the segments of a graph in
// topological order. Where GPU nodes come one by one, each is submitted when it is ready.
#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "tactus/base/touch.hpp"
#include "tactus/sched/gpu_work.hpp"
#include "tactus/sched/strategies.hpp"

namespace tactus::sched {

std::vector<std::string> streams_of_tasks(const System& system) {
  std::vector<std::string> names;
  std::set<std::string_view> seen;
  for (const Task& task : system.tasks) {
    if (task.stream && seen.insert(*task.stream).second) names.push_back(*task.stream);
  }
  return names;
}

namespace {

/// What is the same for every job of a task.
struct Plan {
  std::vector<GpuCall> calls;
  Lane lane;
  bool in_parallel = false;  // nodes of a job may run side by side, each in a stream of its own
};

class AsSubmitted final : public Strategy {
 public:
  explicit AsSubmitted(const System& system) : by_node_{is_by_node(system)} {
    std::map<std::string, StreamId> stream_ids;
    for (const std::string& name : streams_of_tasks(system)) stream_ids.emplace(name, streams_++);
    for (const Task& task : system.tasks) {
      Plan plan;
      plan.calls = call_order(task);
      if (task.stream) plan.lane.stream = stream_ids.at(*task.stream);
      plan.lane.level =
          static_cast<std::uint32_t>(task.stream_priority + system.platform.gpu.priority_levels - 1);
      plan.in_parallel = by_node_ && !task.stream && task.work.form == WorkForm::graph;
      plans_.push_back(std::move(plan));
    }
    released_.reserve(system.tasks.size());
  }

  void on_released(JobId id, const JobRow& job) noexcept override { released_.push_back({{id}, job.task}); }
  void on_ready(SubmissionId submission, const JobRow& job) noexcept override {
    if (by_node_) released_.push_back({submission, job.task});
  }
  void forget(JobId id, const JobRow& /*job*/) noexcept override {
    std::erase_if(released_, [id](const Arrived& arrived) { return arrived.id.job == id; });
  }

  void schedule(Time /*now*/, const JobTable& /*jobs*/, Pass& pass, Commands& commands) noexcept override {
    auto next = released_.begin();
    for (; next != released_.end() && pass.may_submit(next->id.job); ++next) submit(*next, commands);
    released_.erase(released_.begin(), next);
  }

  [[nodiscard]] std::uint32_t streams() const override { return streams_; }
  void reserve(std::size_t jobs) override { reserve_touched(released_, jobs); }
  [[nodiscard]] std::vector<Lane> lanes() const override {
    std::vector<Lane> lanes;
    for (const Plan& plan : plans_) {
      lanes.push_back(plan.lane);
      if (!plan.in_parallel) continue;
      for (const GpuCall& call : plan.calls) {
        lanes.push_back({.stream = own_stream_of(call.segment), .level = plan.lane.level});
      }
    }
    return lanes;
  }

 private:
  struct Arrived {
    SubmissionId id;  // of a job that is called whole: any segment
    TaskIndex task = 0;
  };

  void submit(const Arrived& arrived, Commands& commands) const {
    const Plan& plan = plans_[arrived.task];
    if (by_node_) {
      auto& submit = append<Submit>(commands);
      submit.id = arrived.id;
      submit.stream = plan.in_parallel ? own_stream_of(arrived.id.segment) : plan.lane.stream;
      submit.level = plan.lane.level;
      return;
    }
    for (const GpuCall& call : plan.calls) {
      auto& submit = append<Submit>(commands);
      submit.id = {arrived.id.job, call.segment};
      submit.server = call.server;
      submit.stream = plan.lane.stream;
      submit.level = plan.lane.level;
    }
  }

  bool by_node_;
  std::vector<Plan> plans_;
  std::uint32_t streams_ = 0;
  std::vector<Arrived> released_;
};

std::vector<std::string> as_submitted_refusals(const System& system, const Capabilities& capabilities) {
  std::vector<std::string> refusals = refuse_virtual_sms(system);
  for (const Task& task : system.tasks) {
    if (task.stream_priority <= -capabilities.priority_levels) {
      refusals.push_back("task '" + task.name + "': " + capabilities.engine + " has only " +
                         std::to_string(capabilities.priority_levels) + " stream priorities");
    }
  }
  return refusals;
}

/// Jobs of exclusive work with one priority, each in a stream of its own, queue in the order of their
/// release.
OneServer one_server_of_submitted(const System& system) {
  const bool queue_in_order = std::all_of(system.tasks.begin(), system.tasks.end(), [&](const Task& task) {
    return is_one_segment<ExclusiveSegment>(task) && !task.stream &&
           task.stream_priority == system.tasks.front().stream_priority;
  });
  return queue_in_order ? OneServer::first_come : OneServer::no;
}

}  // namespace

std::unique_ptr<Strategy> make_as_submitted(const System& system) {
  return std::make_unique<AsSubmitted>(system);
}

constinit const StrategyEntry as_submitted{.facts = {.name = "as-submitted",
                                                     .orders = edf_or_fp,  // neither has an effect
                                                     .has_order = false,
                                                     .streams_of_tasks = true,
                                                     .handed = Handed::jobs_or_nodes,
                                                     .stream_names = streams_of_tasks,
                                                     .one_server = one_server_of_submitted},
                                           .refusals = as_submitted_refusals,
                                           .make = make_as_submitted};

}  // namespace tactus::sched
