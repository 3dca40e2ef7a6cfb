#include "tactus/sched/by_node.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "tactus/base/touch.hpp"
#include "tactus/sched/job_fifo.hpp"
#include "tactus/sched/node_gate.hpp"
#include "tactus/sched/ready_queue.hpp"

namespace tactus::sched {

namespace {

enum class Destination : std::uint8_t { nowhere, empty_copy, cpu, copy_engine, gpu };

/// The server of a segment. CPU segments and copies whose longest time is zero are not submitted.
Destination destination_of(const Segment& segment) {
  const bool takes_time = drawn_time(segment).worst > Duration{};
  switch (server_of(segment)) {
    case ServerKind::cpu:
      return takes_time ? Destination::cpu : Destination::nowhere;
    case ServerKind::copy:
      return takes_time ? Destination::copy_engine : Destination::empty_copy;
    case ServerKind::gpu:
      break;
  }
  return Destination::gpu;
}

class ByNode final : public Strategy {
 public:
  ByNode(const System& system, std::unique_ptr<Strategy> gpu)
      : cpu_order_{system, cpu_policy(system.policy).order},
        copy_order_{system, copy_order(system.policy) == CopyOrder::fp ? Order::fp : Order::edf},
        preemptive_{cpu_policy(system.policy).preemptive},
        copies_as_they_come_{copy_order(system.policy) == CopyOrder::fifo},
        joins_copies_{!system.platform.gpu.copy_chunk && !has_engine_time(system) &&
                      !system.policy.strategy->times_nodes},
        gate_{system},
        gpu_{std::move(gpu)} {
    tasks_.resize(system.tasks.size());
    for (TaskIndex task = 0; task < tasks_.size(); ++task) add_task(system, task);
    engines_.resize(system.policy.strategy->one_copy_engine
                        ? 1
                        : static_cast<std::size_t>(system.platform.gpu.copy_engines));
    copies_.reserve(tasks_.size());
    ready_.reserve(2 * tasks_.size());
    demoted_.reserve(tasks_.size());
  }

  void on_released(JobId id, const JobRow& job) noexcept override {
    TaskState& task = tasks_[job.task];
    if (gate_.is_used()) {
      gate_.on_released(id, job.task);
      ready_.push_back({id, job.task});
      return;
    }
    task.waiting.push(id);
    if (!task.active) start_next_job(job.task);
  }

  void on_ready(SubmissionId submission, const JobRow& job) noexcept override {
    if (is_active(submission.job, job.task)) ready_.push_back({submission.job, job.task, submission.segment});
  }

  void on_finished(SubmissionId submission, const JobRow& job, bool job_done) noexcept override {
    leave_server(submission, job);
    gate_.on_finished(submission, job.task);
    if (node_of(submission, job).destination == Destination::gpu) {
      gpu_->on_finished(submission, job, job_done);
    }
    if (job_done) job_over(submission.job, job.task);
  }

  /// A chunk of a copy, or a slice of GPU work, has ended. The next chunk joins the queue at once, so that no
  /// less urgent copy goes first.
  void on_stopped(SubmissionId submission, const JobRow& job) noexcept override {
    if (node_of(submission, job).destination == Destination::gpu) {
      gpu_->on_stopped(submission, job);
      return;
    }
    leave_server(submission, job);
    on_ready(submission, job);
  }

  void forget(JobId id, const JobRow& job) noexcept override {
    TaskState& task = tasks_[job.task];
    if (!is_active(id, job.task)) {
      task.waiting.remove(id);
      return;
    }
    gate_.forget(id, job.task);
    copies_.remove(id);
    for (CorePool& pool : pools_) pool.waiting.remove(id);
    std::erase_if(ready_, [&](const Ready& ready) { return ready.job == id; });
    gpu_->forget(id, job);
    if (job.in_flight == 0) job_over(id, job.task);
  }

  void on_demoted(JobId id, const JobRow& job) noexcept override {
    TaskState& task = tasks_[job.task];
    task.demoted = id;
    copies_.demote(id);
    for (CorePool& pool : pools_) pool.waiting.demote(id);
    gpu_->on_demoted(id, job);
    if (task.waits_busily && task.active == id) demoted_.push_back(job.task);
  }
  [[nodiscard]] bool demotes() const override { return true; }

  void schedule(Time now, const JobTable& jobs, Pass& pass, Commands& commands) noexcept override {
    for (const TaskIndex task : demoted_) {
      if (tasks_[task].active) hold_core(*tasks_[task].active, jobs, commands);
    }
    demoted_.clear();
    for (const Ready& ready : ready_) {
      const JobId id = ready.job;
      if (ready.segment != first_ones) {
        issue_or_hold({id, ready.segment}, now, jobs);
        continue;
      }
      if (tasks_[ready.task].waits_busily) hold_core(id, jobs, commands);
      for (std::uint32_t segment = 0; segment < tasks_[ready.task].nodes.size(); ++segment) {
        if (jobs.is_ready({id, segment})) issue_or_hold({id, segment}, now, jobs);
      }
    }
    ready_.clear();
    gate_.open(now, jobs, commands, [&](SubmissionId submission) { issue(submission, now, jobs); });
    for (CorePool& pool : pools_) start_waiting(pool, pass, commands);
    for (Request& engine : engines_) {
      if (engine.in_flight == 0 && !copies_.empty() && pass.may_submit(copies_.best().id)) {
        submit_copies(engine, commands);
      }
    }
    gpu_->schedule(now, jobs, pass, commands);
  }

  [[nodiscard]] bool skips(TaskIndex task, std::uint32_t segment) const override {
    const Destination destination = tasks_[task].nodes[segment].destination;
    return destination == Destination::nowhere || destination == Destination::empty_copy;
  }
  [[nodiscard]] std::uint32_t streams() const override { return gpu_->streams(); }
  [[nodiscard]] std::vector<std::vector<std::int32_t>> sm_sets() const override { return gpu_->sm_sets(); }
  void reserve(std::size_t jobs) override {
    for (TaskState& task : tasks_) task.waiting.reserve(jobs);
    gate_.reserve(jobs);
    const std::size_t nodes = max_nodes_ * (gate_.is_used() ? jobs : tasks_.size());
    copies_.reserve(nodes);
    for (CorePool& pool : pools_) pool.waiting.reserve(nodes);
    reserve_touched(ready_, nodes + tasks_.size());
    reserve_touched(demoted_, tasks_.size());
    gpu_->reserve(std::max(jobs, nodes));
  }
  [[nodiscard]] std::vector<Lane> lanes() const override {
    std::vector<Lane> lanes;
    for (std::uint32_t i = 0; i < copy_streams_; ++i) lanes.push_back({.stream = own_stream_of(i)});
    for (const Lane& lane : gpu_->lanes()) lanes.push_back(lane);
    return lanes;
  }
  [[nodiscard]] std::vector<SmSetId> sm_sets_of(TaskIndex task, std::uint32_t segment) const override {
    const bool on_gpu = tasks_[task].nodes[segment].destination == Destination::gpu;
    return on_gpu ? gpu_->sm_sets_of(task, segment) : std::vector<SmSetId>{0};
  }
  [[nodiscard]] std::vector<CpuLane> cpu_lanes() const override {
    std::vector<CpuLane> lanes;
    for (const CorePool& pool : pools_) lanes.push_back(pool.lane);
    return lanes;
  }
  [[nodiscard]] bool has_dedicated_sms() const override { return gpu_->has_dedicated_sms(); }
  [[nodiscard]] bool refills_lazily() const override { return gpu_->refills_lazily(); }

 private:
  static constexpr std::size_t usual_backlog = 4;
  static constexpr std::uint32_t first_ones = ~std::uint32_t{0};

  struct NodeState {
    Destination destination = Destination::nowhere;
    std::uint32_t pool = 0;             // of CPU work
    StreamId stream = own_stream;       // of a copy
    bool is_cut = false;                // a copy of several chunks
    std::optional<std::uint32_t> next;  // the copy behind it that belongs to the same request
  };
  struct TaskState {
    std::vector<NodeState> nodes;
    Cores held;  // while it waits busily
    bool waits_busily = false;
    std::optional<JobId> active;
    std::optional<JobId> demoted;
    JobFifo waiting;
  };
  /// Cores that share a ready queue.
  struct CorePool {
    CpuLane lane;
    ReadyQueue waiting;
    std::int32_t running = 0;
  };
  /// What a copy engine has: copies of one job, back to back.
  struct Request {
    JobId job;
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::uint32_t in_flight = 0;
  };
  /// A segment that is ready, or `first_ones`: all segments that are ready at the start of the job.
  struct Ready {
    JobId job;
    TaskIndex task = 0;
    std::uint32_t segment = first_ones;
  };

  void add_task(const System& system, TaskIndex index) {
    const Task& task = system.tasks[index];
    TaskState& state = tasks_[index];
    const bool is_graph = task.work.form == WorkForm::graph;
    std::vector<std::uint32_t> own_lanes;  // CPU lanes that the task has been counted in
    for (const Node& node : task.work.nodes) {
      NodeState& added = state.nodes.emplace_back();
      added.destination = destination_of(node.segment);
      if (added.destination == Destination::cpu) {
        added.pool = pool_of(cores_of(system, index, node));
        // Nodes of a chain never run side by side.
        const bool is_new = std::find(own_lanes.begin(), own_lanes.end(), added.pool) == own_lanes.end();
        if (is_graph || is_new) pools_[added.pool].lane.width += gate_.jobs_at_once(index);
        own_lanes.push_back(added.pool);
      } else if (const auto* copy = std::get_if<CopySegment>(&node.segment)) {
        if (is_graph) added.stream = own_stream_of(static_cast<std::uint32_t>(state.nodes.size() - 1));
        copy_streams_ = std::max(copy_streams_, added.stream - own_stream + 1);
        added.is_cut = !copies_as_they_come_ && chunks_of(*copy, system.platform.gpu).count > 1;
      }
    }
    if (!is_graph && joins_copies_) join_neighbouring_copies(state);
    const bool has_other_work =
        std::any_of(state.nodes.begin(), state.nodes.end(), [](const NodeState& node) {
          return node.destination == Destination::copy_engine || node.destination == Destination::gpu;
        });
    state.waits_busily = task.wait == Waiting::busy && has_other_work;
    state.held = {.first = task.core};
    if (state.waits_busily) ++pools_[pool_of(state.held)].lane.width;
    state.waiting.reserve(usual_backlog);
    max_nodes_ = std::max(max_nodes_, state.nodes.size());
  }

  /// Copies that are not submitted may lie between.
  static void join_neighbouring_copies(TaskState& task) {
    std::optional<std::uint32_t> before;
    for (std::uint32_t i = 0; i < task.nodes.size(); ++i) {
      if (task.nodes[i].destination == Destination::empty_copy) continue;
      if (task.nodes[i].destination != Destination::copy_engine) {
        before.reset();
        continue;
      }
      if (before) task.nodes[*before].next = i;
      before = i;
    }
  }

  std::uint32_t pool_of(const Cores& cores) {
    const auto found = std::find_if(pools_.begin(), pools_.end(),
                                    [&](const CorePool& known) { return known.lane.cores == cores; });
    if (found != pools_.end()) return static_cast<std::uint32_t>(found - pools_.begin());
    pools_.emplace_back().lane = {.cores = cores, .width = 0};
    return static_cast<std::uint32_t>(pools_.size() - 1);
  }

  [[nodiscard]] const NodeState& node_of(SubmissionId submission, const JobRow& job) const {
    return tasks_[job.task].nodes[submission.segment];
  }

  /// Where nodes are timed, all jobs are; else one of each task.
  [[nodiscard]] bool is_active(JobId id, TaskIndex task) const {
    return gate_.is_used() || tasks_[task].active == id;
  }

  void start_next_job(TaskIndex index) {
    TaskState& task = tasks_[index];
    if (task.waiting.empty()) return;
    task.active = task.waiting.pop();
    ready_.push_back({*task.active, index});
  }

  void job_over(JobId id, TaskIndex index) {
    for (Request& engine : engines_) {
      if (engine.job == id) engine.in_flight = 0;
    }
    gate_.on_job_over(id, index);
    if (tasks_[index].active != id) return;
    tasks_[index].active.reset();
    start_next_job(index);
  }

  void leave_server(SubmissionId submission, const JobRow& job) {
    const NodeState& node = node_of(submission, job);
    if (node.destination == Destination::cpu) --pools_[node.pool].running;
    if (node.destination != Destination::copy_engine) return;
    for (Request& engine : engines_) {
      if (engine.in_flight > 0 && engine.job == submission.job && engine.first <= submission.segment &&
          submission.segment <= engine.last) {
        --engine.in_flight;
      }
    }
  }

  [[nodiscard]] Urgency urgency_on_cpu(const JobRow& job, std::uint32_t segment) const {
    Urgency urgency = urgency_on_cpu(job);
    if (gate_.is_used()) urgency.deadline = saturating_add(job.release, gate_.point_of(job.task, segment));
    return urgency;
  }
  /// A demoted job is less urgent even than best-effort work.
  [[nodiscard]] Urgency urgency_on_cpu(const JobRow& job) const {
    Urgency urgency = cpu_order_.of_waiting(job);
    if (tasks_[job.task].demoted == job.id) {
      urgency.best_effort = true;
      urgency.rank += static_cast<std::uint32_t>(tasks_.size());
    }
    return urgency;
  }

  void hold_core(JobId id, const JobTable& jobs, Commands& commands) {
    const JobRow& job = jobs.get(id);
    Urgency urgency = urgency_on_cpu(job);
    urgency.holds = true;
    commands.emplace_back(HoldCore{.job = id, .cores = tasks_[job.task].held, .urgency = urgency});
  }

  void issue_or_hold(SubmissionId submission, Time now, const JobTable& jobs) {
    const TaskIndex task = jobs.get(submission.job).task;
    if (gate_.takes(task, submission.segment)) {
      gate_.on_ready(submission, task);
    } else {
      issue(submission, now, jobs);
    }
  }

  void issue(SubmissionId submission, Time now, const JobTable& jobs) {
    const JobRow& job = jobs.get(submission.job);
    const NodeState& node = node_of(submission, job);
    switch (node.destination) {
      case Destination::nowhere:
      case Destination::empty_copy:
        return;  // it is never submitted
      case Destination::cpu:
        pools_[node.pool].waiting.push({.urgency = urgency_on_cpu(job, submission.segment),
                                        .id = submission.job,
                                        .task = job.task,
                                        .position = submission.segment});
        return;
      case Destination::copy_engine: {
        Urgency urgency = copy_order_.of_waiting(job);
        if (copies_as_they_come_) urgency = {.deadline = now, .rank = urgency.rank, .number = job.number};
        copies_.push(
            {.urgency = urgency, .id = submission.job, .task = job.task, .position = submission.segment});
        if (tasks_[job.task].demoted == submission.job) copies_.demote(submission.job);
        return;
      }
      case Destination::gpu:
        gpu_->on_ready(submission, job);
        return;
    }
  }

  /// Cores that preempt take everything.
  void start_waiting(CorePool& pool, Pass& pass, Commands& commands) const {
    while (!pool.waiting.empty() && (preemptive_ || pool.running < pool.lane.cores.count) &&
           pass.may_submit(pool.waiting.best().id)) {
      const ReadyJob job = pool.waiting.pop();
      ++pool.running;
      commands.emplace_back(Submit{.id = {job.id, job.position},
                                   .server = ServerKind::cpu,
                                   .cores = pool.lane.cores,
                                   .urgency = job.urgency});
    }
  }

  /// The copy engine serves the copies of a request back to back.
  void submit_copies(Request& engine, Commands& commands) {
    const ReadyJob job = copies_.pop();
    engine = {.job = job.id, .first = job.position};
    for (std::optional<std::uint32_t> copy = job.position; copy;) {
      const NodeState& node = tasks_[job.task].nodes[*copy];
      engine.last = *copy;
      ++engine.in_flight;
      commands.emplace_back(Submit{.id = {job.id, *copy},
                                   .server = ServerKind::copy,
                                   .stream = node.stream,
                                   .extent = node.is_cut ? Extent::slice : Extent::whole});
      copy = node.next;
    }
  }

  JobOrder cpu_order_;
  JobOrder copy_order_;
  bool preemptive_;
  bool copies_as_they_come_;
  bool joins_copies_;  // that follow each other: as one request
  NodeGate gate_;
  std::unique_ptr<Strategy> gpu_;
  std::vector<TaskState> tasks_;
  std::vector<CorePool> pools_;
  std::vector<Ready> ready_;
  std::vector<TaskIndex> demoted_;  // tasks whose active job holds a core and was demoted at this instant
  ReadyQueue copies_;
  std::vector<Request> engines_;
  std::uint32_t copy_streams_ = 1;
  std::size_t max_nodes_ = 1;
};

}  // namespace

std::unique_ptr<Strategy> make_by_node(const System& system, std::unique_ptr<Strategy> gpu) {
  return std::make_unique<ByNode>(system, std::move(gpu));
}

std::vector<std::string> refuse_by_node(const System& system, const Capabilities& capabilities) {
  std::vector<std::string> refusals;
  if (capabilities.preemptive_cpu || !cpu_policy(system.policy).preemptive) return refusals;
  for (const Task& task : system.tasks) {
    const bool has_cpu_work =
        std::any_of(task.work.nodes.begin(), task.work.nodes.end(),
                    [](const Node& node) { return server_of(node.segment) == ServerKind::cpu; });
    if (!has_cpu_work) continue;
    refusals.push_back("task '" + task.name + "': " + capabilities.engine +
                       " has no preemptive priorities for `cpu` segments");
  }
  return refusals;
}

}  // namespace tactus::sched
